import Glibc
import SourceRuntime

/// A check of settings against the rules that a program declares in its `hello`.
///
/// The program is started for this alone. It receives the host's `hello` and no settings, and is
/// ended as soon as it has answered.
package enum SettingsProbe {
  /// Starts the program, and checks the settings against its rules.
  ///
  /// A program without rules accepts all settings, and one that prints rows only accepts none.
  ///
  /// - Throws: ``SettingRules/Fault`` with the first setting that is refused, or with the reason
  ///   why the program did not answer.
  package static func check(
    _ settings: [String: String], of command: ChildCommand, within bound: Duration = .seconds(10)
  ) throws(SettingRules.Fault) {
    let process: ChildProcess
    do throws(ChildProcess.Fault) { process = try ChildProcess(command) } catch {
      throw SettingRules.Fault(reason: error.reason)
    }
    defer {
      process.reap()
      close(process.output)
    }
    // A full pipe is impossible for the first line. A program that has ended is noticed below.
    _ = HostLine.hello.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
    switch try answer(of: process, within: bound) {
    case .hello(let hello): _ = try SettingRules.written(settings, by: hello.settings)
    case .rows:
      guard let key = settings.keys.min() else { return }
      throw SettingRules.Fault(key: key, reason: "unknown setting: the program prints rows only")
    }
  }

  private enum Answer {
    case hello(ChildHello)
    /// The first line was not a `hello`.
    case rows
  }

  private static func answer(of process: ChildProcess, within bound: Duration) throws(SettingRules.Fault) -> Answer {
    let end = ContinuousClock.now.advanced(by: bound)
    var decoder = ChildDecoder(name: "")
    var lines = LineSplitter(limit: 1 << 20, chunk: 1 << 14)
    while true {
      if let line = lines.next() {
        guard case .whole(let bytes, let number) = line else { return .rows }
        guard bytes.contains(where: { $0 > 0x20 }) else { continue }
        decoder.read(bytes, number: number)
        for event in decoder.takeEvents() {
          switch event {
          case .hello(let hello): return .hello(hello)
          case .refused(let reason): throw SettingRules.Fault(reason: reason)
          default: break
          }
        }
        return .rows
      }
      let rest = (end - ContinuousClock.now).components
      guard rest.seconds >= 0, rest.attoseconds >= 0 else {
        throw SettingRules.Fault(reason: "it sent no line within \(bound)")
      }
      var waiting = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
      _ = poll(&waiting, 1, Int32(rest.seconds * 1_000 + rest.attoseconds / 1_000_000_000_000_000 + 1))
      guard waiting.revents != 0 else { continue }
      let room = lines.room()
      let count = read(process.output, room.baseAddress, room.count)
      if count > 0 { lines.take(count) }
      if count == 0 { throw SettingRules.Fault(reason: "it ended before its hello" + lastWords(of: process)) }
    }
  }

  /// Returns the last line of a program's standard error, as the end of a sentence.
  private static func lastWords(of process: ChildProcess) -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(process.errors, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.last.map { ": \(ForeignText.cut(String($0), 300))" } ?? ""
  }
}
