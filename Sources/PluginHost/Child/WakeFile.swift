import CChildProcess
import Glibc
import ListEngine

/// Makes a descriptor readable, so that a thread that waits for others too hears of it.
final class WakeFile: Sendable {
  /// What to wait for.
  let file: Int32

  /// `nil` when no file descriptor is left: pages and other sources may hold all of them.
  init?() {
    file = child_wake_file()
    guard file >= 0 else { return nil }
  }

  deinit { close(file) }

  /// [any thread]
  func wake() {
    var one: UInt64 = 1
    _ = write(file, &one, 8)
  }

  /// Makes it unreadable again.
  func clear() {
    var count: UInt64 = 0
    _ = read(file, &count, 8)
  }
}

/// So much nicer than the server programs are, and those who read what they write: one that floods must not take the processor from
/// the thread that serves pages.
let childNiceness: Int32 = 5

/// Makes the calling thread as nice as programs are; on Linux a thread has a niceness of its own.
func beNice() {
  let which = __priority_which_t(PRIO_PROCESS.rawValue)
  errno = 0
  let before = getpriority(which, 0)
  if errno == 0 { _ = setpriority(which, 0, before + childNiceness) }
}

/// Starts a thread that nobody waits for, with no signals: those are others' business.
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
  final class Body: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
  }
  let kept = Unmanaged.passRetained(Body(name, body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { raw in
      let own = Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue()
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_SETMASK, &all, nil)
      // Through a file: the function for it is GNU's, and not visible here.
      let file = open("/proc/thread-self/comm", O_WRONLY)
      if file >= 0 {
        let text = Array(own.name.utf8.prefix(15))
        _ = write(file, text, text.count)
        close(file)
      }
      own.body()
      return nil
    }, kept.toOpaque())
  if code != 0 { kept.release() } else { pthread_detach(thread) }
  return code
}

/// The monotonic clock.
var monotonicNow: Instant {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Instant(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
}
