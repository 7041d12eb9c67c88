import CSystem
import Glibc
import ListEngine

/// An event file that wakes a thread waiting in `poll`.
package final class WakeFile: Sendable {
  /// The descriptor to poll.
  package let file: Int32

  /// Creates the file, or returns `nil` when no file descriptor is left.
  package init?() {
    file = child_wake_file()
    guard file >= 0 else { return nil }
  }

  deinit { close(file) }

  /// Makes the file readable. [any thread]
  package func wake() {
    var one: UInt64 = 1
    _ = write(file, &one, 8)
  }

  /// Makes the file unreadable again.
  package func clear() {
    var count: UInt64 = 0
    _ = read(file, &count, 8)
  }
}

/// The niceness of child processes and their readers relative to the server.
///
/// A flooding child must not take the processor from the thread that serves clients.
package let childNiceness: Int32 = 5

/// Raises the niceness of the calling thread by ``childNiceness``.
///
/// On Linux each thread has its own.
package func beNice() {
  let which = __priority_which_t(PRIO_PROCESS.rawValue)
  errno = 0
  let before = getpriority(which, 0)
  if errno == 0 { _ = setpriority(which, 0, before + childNiceness) }
}

/// Starts a detached thread with all signals blocked.
///
/// Returns 0 or an error number.
package func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
  final class Body: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
  }
  let retained = Unmanaged.passRetained(Body(name, body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { raw in
      let own = Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue()
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_SETMASK, &all, nil)
      // Written through a file, because the GNU function `pthread_setname_np` is not visible here.
      let file = open("/proc/thread-self/comm", O_WRONLY)
      if file >= 0 {
        let text = Array(own.name.utf8.prefix(15))
        _ = write(file, text, text.count)
        close(file)
      }
      own.body()
      return nil
    }, retained.toOpaque())
  if code != 0 { retained.release() } else { pthread_detach(thread) }
  return code
}

/// The current time of the monotonic clock.
package var monotonicNow: Instant {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Instant(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
}
