import CWebSockets
import Threads

/// A handle that wakes the loop from any thread; it does nothing once the loop has ended.
final class Waker: Sendable {
  private struct Target: @unchecked Sendable {
    // uv_async_send() is the only libuv function that is safe on any thread.
    var async: UnsafeMutablePointer<uv_async_t>?
  }

  private let target: Guarded<Target>

  init(_ async: UnsafeMutablePointer<uv_async_t>) { target = Guarded(Target(async: async)) }

  /// Requests a turn of the loop. [any thread]
  func wake() {
    target.withLock { if let async = $0.async { uv_async_send(async) } }
  }

  /// Detaches the handle, which is not used any more afterwards. [the loop]
  func retire() { target.withLock { $0.async = nil } }
}
