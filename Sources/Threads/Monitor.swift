import Glibc

/// A mutex with a condition variable, the only lock of this package; ``Guarded`` adds the state.
///
/// It is made of the C library's mutex instead of the standard library's `Mutex`. That one has no
/// condition variable, and on Linux it waits in a library without instrumentation, so that
/// ThreadSanitizer reports false races of threads that take turns.
///
/// Waits are measured on the monotonic clock, so changes of the system time do not affect them.
package final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Creates a monitor that no thread is in.
  package init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Calls a closure while no other thread is in the monitor; not recursive. [any thread]
  package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Wakes all waiting threads, which then check their conditions again.
  package func wakeAll() { pthread_cond_broadcast(condition) }

  /// Releases the lock and waits until `isDone` returns true.
  ///
  /// - Precondition: The caller holds the lock.
  package func wait(until isDone: () -> Bool) {
    while !isDone() { pthread_cond_wait(condition, mutex) }
  }

  /// Releases the lock and waits until `isDone` returns true or the time has passed.
  ///
  /// - Returns: False when the time passed and `isDone` was still false.
  /// - Precondition: The caller holds the lock.
  package func wait(nanoseconds: UInt64, until isDone: () -> Bool) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    // About a century, which is effectively unlimited and does not overflow.
    let wanted = min(nanoseconds, 3_000_000_000_000_000_000)
    deadline.tv_sec += Int(wanted / 1_000_000_000)
    deadline.tv_nsec += Int(wanted % 1_000_000_000)
    if deadline.tv_nsec >= 1_000_000_000 {
      deadline.tv_sec += 1
      deadline.tv_nsec -= 1_000_000_000
    }
    while !isDone() {
      if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return isDone() }
    }
    return true
  }
}
