import SourceRuntime
import Testing

@testable import ProcessSource

/// Checks of settings against the rules in a program's `hello`.
@Suite struct SettingsProbeTests {
  private static let hello =
    #"{"type":"hello","version":1,"settings":{"properties":{"port":{"type":"integer","minimum":1}},"required":["port"]}}"#

  /// Returns the setting and the reason of the refusal by a shell script, or `nil`.
  private func refusal(
    _ script: String, _ settings: [String: String] = [:], within bound: Duration = .seconds(60)
  ) -> String? {
    do throws(SettingRules.Fault) {
      try SettingsProbe.check(settings, of: .shell(script), within: bound)
      return nil
    } catch {
      return "\(error.key ?? "-"): \(error.reason)"
    }
  }

  @Test(
    arguments: [
      (["port": "80"], nil), (["port": "0"], "port: 0 is less than 1"), ([:], "port: it must be set"),
      (["port": "80", "host": "a"], "host: unknown setting; the settings are port"),
    ] as [([String: String], String?)])
  func `settings are checked by the rules of the hello`(_ settings: [String: String], _ reason: String?) {
    // The program waits for its settings, and is ended without them.
    #expect(refusal("echo '\(Self.hello)'; exec cat >/dev/null", settings) == reason)
    #expect(refusal("read -r hello; printf '\\n%s\\n' '\(Self.hello)'; exec sleep 1000", settings) == reason)
  }

  @Test func `a program that prints rows only accepts no setting`() {
    #expect(refusal("echo '{\"id\":1}'") == nil)
    #expect(refusal("echo '{\"id\":1}'", ["a": "1"]) == "a: unknown setting: the program prints rows only")
    #expect(refusal("echo nonsense", ["a": "1"]) == "a: unknown setting: the program prints rows only")
  }

  @Test func `a program without a hello is refused with a reason`() {
    #expect(refusal("echo one >&2; echo 'no driver' >&2; exit 1") == "-: it ended before its hello: no driver")
    #expect(refusal("exec sleep 1000", within: .milliseconds(50)) == "-: it sent no line within 0.05 seconds")
    #expect(refusal("echo '{\"type\":\"hello\",\"version\":9}'")?.contains("version 9") == true)
    do throws(SettingRules.Fault) {
      try SettingsProbe.check([:], of: ChildCommand("/nowhere/program"))
      Issue.record("a missing program was started")
    } catch {
      #expect(error.reason.contains("no program “/nowhere/program”"))
    }
  }
}
