import CWebSockets
import Glibc
import Logging
import Threads

/// The rate-limited forwarding of libwebsockets' messages to the log.
enum LibraryLog {
  private struct State {
    var logger = Logger(label: "libwebsockets")
    var lines = 0
    var since: UInt64 = 0
  }

  private static let state = Guarded(State())
  private static let greatestLines = 10
  private static let period: UInt64 = 10_000_000_000

  /// Starts forwarding to this logger.
  ///
  /// The library has one log per process, so the last server's logger receives all messages.
  static func begin(_ logger: Logger) {
    state.withLock { $0.logger = logger }
    lws_set_log_level(LLL_ERR | LLL_WARN) { _, line in
      guard let line else { return }
      LibraryLog.write(String(cString: line))
    }
  }

  private static func write(_ line: String) {
    state.withLock { state in
      let now = uv_hrtime()
      if now - state.since > period {
        if state.lines > greatestLines {
          state.logger.notice(
            "lines of libwebsockets were dropped", metadata: ["lines": "\(state.lines - greatestLines)"])
        }
        state.since = now
        state.lines = 0
      }
      state.lines += 1
      guard state.lines <= greatestLines else { return }
      let text = line.split(separator: "\n").first.map(String.init) ?? ""
      // Debug level, because most messages report invalid input, and the client gets its own
      // answer.
      state.logger.debug("libwebsockets", metadata: ["message": "\(text)"])
    }
  }
}
