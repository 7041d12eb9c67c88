import CWebSockets
import Glibc
import ListEngine

/// The loop that libwebsockets runs on: libuv, with epoll underneath.
///
/// libwebsockets' own loop is poll(), which costs 8.8 ms a wake-up at 10,000 pages; its own libuv loop does not let go when it is to
/// end. So the loop is ours, and libwebsockets is a guest in it ("foreign loop").
///
/// Everything here belongs to the thread that made it, but for the ``waker``.
final class EventLoop {
  /// Called when `requestTurn()` or the waker asked for it, once per round of the loop, after its input was read.
  var onTurn: () -> Void = {}
  /// Called when the process was asked to end.
  var onSignal: () -> Void = {}
  /// Any thread may call it: a turn follows.
  let waker: Waker
  /// Called when the process got SIGHUP; `nil`: it asks the process to end.
  var onHangUp: (() -> Void)?
  /// What libwebsockets takes as its foreign loop.
  let handle = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)

  private let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  private let lastCall = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private let signals = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: EventLoop.signalNumbers.count)
  private static let signalNumbers = [SIGINT, SIGTERM, SIGHUP]
  private var isTurnWanted = false
  /// How often it has waited for something to happen.
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
    // After input was read; and before waiting for more, for what timers have brought up.
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

  /// Now, on the monotonic clock.
  static var now: Instant { Instant(nanoseconds: Int64(uv_hrtime())) }

  /// Asks for a turn in this round of the loop.
  func requestTurn() { isTurnWanted = true }

  /// Asks for a turn in the next round: sockets get theirs first.
  func requestNextRound() { waker.wake() }

  /// Asks for a turn at a moment; `nil` for none.
  func requestTurn(at moment: Instant?) {
    guard let moment else {
      uv_timer_stop(timer)
      return
    }
    let remaining = max(0, EventLoop.now.duration(to: moment).nanoseconds)
    // libuv counts from the beginning of the round; without this a long round would make the timer early.
    uv_update_time(handle)
    uv_timer_start(
      timer, { EventLoop.of($0!.pointee.data).requestTurn() }, UInt64((remaining + 999_999) / 1_000_000), 0)
  }

  /// Ends `run()` after so many milliseconds, whatever happens until then.
  func stop(afterMilliseconds delay: UInt64) {
    uv_update_time(handle)
    uv_timer_start(lastCall, { EventLoop.of($0!.pointee.data).stop() }, delay, 0)
  }

  /// Ends `run()`.
  func stop() { uv_stop(handle) }

  /// Takes SIGINT, SIGTERM and SIGHUP. After the first that asks the process to end they end it at once, as they would without us. A SIGHUP that
  /// would ask for that, and is ignored when we begin, goes on being ignored.
  func watchSignals() {
    // Whoever started us may have blocked them, and that is inherited.
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

  /// Whether whoever has started the process wants this signal to be ignored.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    // SIG_IGN, a macro that C only can read.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Runs until `stop()`.
  func run() { uv_run(handle, UV_RUN_DEFAULT) }

  /// Closes what is ours, and turns until everyone else's handles are closed too.
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
    // libwebsockets closes its handles by the loop too, so it must turn until nothing is left, whoever says stop meanwhile.
    while uv_run(handle, UV_RUN_DEFAULT) != 0 {}
  }

  /// Ends the loop.
  ///
  /// - Precondition: it was drained.
  func close() {
    let result = uv_loop_close(handle)
    precondition(result == 0, "something still uses the loop (\(result))")
  }

  /// Every kind of libuv's handles begins as a `uv_handle_t`.
  private func close<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self), nil)
  }
}
