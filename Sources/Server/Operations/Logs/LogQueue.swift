import Dispatch
import Glibc
import Threads

/// A bounded queue of log lines, written in order on a background queue.
///
/// Lines beyond the limit are dropped; their number is written once there is room again.
final class LogQueue: Sendable {
  private struct State {
    var waiting = 0
    var dropped = 0
  }

  /// The maximum number of pending bytes.
  static let byteLimit = 1 << 20
  /// The time limit of ``flush()``.
  static let patience = DispatchTimeInterval.milliseconds(500)

  private let descriptor: Int32
  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "log")

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Enqueues a line without blocking. [any thread]
  ///
  /// - Parameter notice: Returns the line that reports the number of dropped lines.
  func put(_ line: [UInt8], notice: @escaping @Sendable (Int) -> [UInt8]) {
    let isTaken = state.withLock { state in
      guard state.waiting + line.count <= Self.byteLimit else {
        state.dropped += 1
        return false
      }
      state.waiting += line.count
      return true
    }
    guard isTaken else { return }
    queue.async { [self] in
      write(line)
      let dropped = state.withLock { state in
        state.waiting -= line.count
        // Leave enough room for the lines that follow.
        guard state.dropped > 0, state.waiting <= Self.byteLimit / 2 else { return 0 }
        defer { state.dropped = 0 }
        return state.dropped
      }
      if dropped > 0 { write(notice(dropped)) }
    }
  }

  func flush() {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + Self.patience)
  }

  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&file, 1, -1)
        continue
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
