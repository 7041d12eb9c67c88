import CWebSockets
import Glibc
import ListEngine

/// The event loop that libwebsockets runs on: libuv, which uses epoll.
///
/// libwebsockets' default loop uses poll(), which costs 8.8 ms per wake-up with 10,000 connections.
/// Its own libuv loop does not terminate cleanly. Rowcast therefore owns the loop, and
/// libwebsockets runs on it as a "foreign loop".
///
/// Everything belongs to the thread that created the loop, except the ``waker``.
final class EventLoop {
  /// The handler of turns: called at most once per iteration, after the input was read.
  var onTurn: () -> Void = {}
  /// The handler of SIGINT and SIGTERM.
  var onSignal: () -> Void = {}
  /// Requests a turn from any thread.
  let waker: Waker
  /// The handler of SIGHUP; if it is `nil`, SIGHUP ends the process like SIGTERM.
  var onHangUp: (() -> Void)?
  /// The libuv loop that libwebsockets uses as its foreign loop.
  let handle = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)

  private let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  private let lastCall = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private let signals = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: EventLoop.signalNumbers.count)
  private static let signalNumbers = [SIGINT, SIGTERM, SIGHUP]
  private var isTurnWanted = false
  /// The number of iterations that have waited for events.
  private(set) var periodicTimer: UInt64 = 0

  init() {
    precondition(uv_loop_init(handle) == 0, "libuv cannot make a loop: out of memory or file descriptors")
    uv_timer_init(handle, timer)
    uv_timer_init(handle, lastCall)
    uv_check_init(handle, check)
    uv_prepare_init(handle, prepare)
    for index in Self.signalNumbers.indices { uv_signal_init(handle, signals + index) }
    waker = Waker(async)
    let this = Unmanaged.passUnretained(self).toOpaque()
    uv_async_init(handle, async) { EventLoop.of($0!.pointee.data).requestTurn() }
    async.pointee.data = this
    timer.pointee.data = this
    lastCall.pointee.data = this
    check.pointee.data = this
    prepare.pointee.data = this
    for index in Self.signalNumbers.indices { signals[index].data = this }
    // Take turns after input was read, and before waiting, for turns that timers have requested.
    uv_check_start(check) { EventLoop.of($0!.pointee.data).takeTurn() }
    uv_prepare_start(prepare) {
      let loop = EventLoop.of($0!.pointee.data)
      loop.periodicTimer += 1
      loop.takeTurn()
    }
  }

  deinit {
    handle.deallocate()
    async.deallocate()
    timer.deallocate()
    lastCall.deallocate()
    check.deallocate()
    prepare.deallocate()
    signals.deallocate()
  }

  private static func of(_ data: UnsafeMutableRawPointer) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
  }

  private func takeTurn() {
    guard isTurnWanted else { return }
    isTurnWanted = false
    onTurn()
  }

  /// The current time on the monotonic clock.
  static var now: Instant { Instant(nanoseconds: Int64(uv_hrtime())) }

  /// Requests a turn in the current iteration.
  func requestTurn() { isTurnWanted = true }

  /// Requests a turn in the next iteration, after the sockets have been served.
  func requestNextRound() { waker.wake() }

  /// Requests a turn at a point in time, or cancels it with `nil`.
  func requestTurn(at moment: Instant?) {
    guard let moment else {
      uv_timer_stop(timer)
      return
    }
    let remaining = max(0, EventLoop.now.duration(to: moment).nanoseconds)
    // libuv counts from the start of the iteration; without an update the timer would fire early.
    uv_update_time(handle)
    uv_timer_start(
      timer, { EventLoop.of($0!.pointee.data).requestTurn() }, UInt64((remaining + 999_999) / 1_000_000), 0)
  }

  /// Ends `run()` after a number of milliseconds.
  func stop(afterMilliseconds delay: UInt64) {
    uv_update_time(handle)
    uv_timer_start(lastCall, { EventLoop.of($0!.pointee.data).stop() }, delay, 0)
  }

  /// Ends `run()`.
  func stop() { uv_stop(handle) }

  /// Handles SIGINT, SIGTERM and SIGHUP.
  ///
  /// The first signal that requests the end restores the default action, so that a second one ends
  /// the process immediately. SIGHUP stays ignored if it was ignored at the start and has no
  /// handler.
  func watchSignals() {
    // A blocked signal mask is inherited from the parent process.
    var watched = sigset_t()
    sigemptyset(&watched)
    for number in Self.signalNumbers { sigaddset(&watched, number) }
    pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    for (index, number) in Self.signalNumbers.enumerated() {
      if number == SIGHUP, onHangUp == nil, Self.isIgnored(SIGHUP) { continue }
      uv_signal_start(
        signals + index,
        { signal, number in
          let loop = EventLoop.of(signal!.pointee.data)
          if number == SIGHUP, let onHangUp = loop.onHangUp { return onHangUp() }
          for index in EventLoop.signalNumbers.indices { uv_signal_stop(loop.signals + index) }
          loop.onSignal()
        }, number)
    }
  }

  /// Returns whether the process inherited that this signal is ignored.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    // SIG_IGN, a macro that Swift does not import.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Runs until `stop()` is called.
  func run() { uv_run(handle, UV_RUN_DEFAULT) }

  /// Closes the loop's own handles and iterates until all other handles are closed, too.
  func drain() {
    waker.retire()
    uv_timer_stop(timer)
    uv_timer_stop(lastCall)
    uv_check_stop(check)
    uv_prepare_stop(prepare)
    for timer in [timer, lastCall] { close(timer) }
    close(async)
    close(check)
    close(prepare)
    for index in Self.signalNumbers.indices { close(signals + index) }
    // libwebsockets closes its handles asynchronously, so iterate until none is left, despite calls
    // of `stop()`.
    while uv_run(handle, UV_RUN_DEFAULT) != 0 {}
  }

  /// Closes the loop.
  ///
  /// - Precondition: The loop was drained.
  func close() {
    let result = uv_loop_close(handle)
    precondition(result == 0, "something still uses the loop (\(result))")
  }

  /// Closes a handle; every libuv handle type starts with a `uv_handle_t`.
  private func close<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self), nil)
  }
}
