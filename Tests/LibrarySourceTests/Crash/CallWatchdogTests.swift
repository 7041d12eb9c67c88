import SourceTesting
import Testing

@testable import LibrarySource

/// A call that hangs is reported once, and other calls are not.
@Suite struct CallWatchdogTests {
  @Test func `logs the name of a hanging call while it still hangs`() throws {
    let recorder = Recorder()
    let watch = CallWatchdog(name: "test") { recorder.note(.error, $0) }
    let result = try watch.during("load", patience: .milliseconds(1)) {
      try recorder.wait("a word about it") { !$0.log.isEmpty }
      return 7
    }
    #expect(result == 7)
    #expect(
      recorder.log == [
        "error: load has not come back for 0.001 seconds: it should return soon; nothing else is asked of it meanwhile"
      ])
    // Each call is watched again, by the same thread or another one.
    try watch.during("cancel", patience: .zero) { try recorder.wait("another word") { $0.log.count == 2 } }
    #expect(recorder.log.last?.hasPrefix("error: cancel has not come back") == true)
  }

  @Test func `does not log calls that return within their patience`() {
    let recorder = Recorder()
    let watch = CallWatchdog(name: "test") { recorder.note(.error, $0) }
    for _ in 0..<100 { watch.during("load", patience: .seconds(3_600)) {} }
    #expect(recorder.log == [])
    #expect(CallWatchdog.patience < .seconds(5), "a call that hangs is logged within five seconds")
  }
}
