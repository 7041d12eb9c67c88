import CWebSockets

/// Wakes the loop from any thread, and does nothing once the loop has ended.
final class Waker: Sendable {
  private struct Target: @unchecked Sendable {
    // uv_async_send() is the one call of libuv that any thread may make.
    var async: UnsafeMutablePointer<uv_async_t>?
  }

  private let target: Guarded<Target>

  init(_ async: UnsafeMutablePointer<uv_async_t>) { target = Guarded(Target(async: async)) }

  /// [any thread]
  func wake() {
    target.withLock { if let async = $0.async { uv_async_send(async) } }
  }

  /// [the loop] After this nobody touches the handle any more.
  func retire() { target.withLock { $0.async = nil } }
}
