import Glibc
import ListEngine

/// A clock that hardly advances while the plugin under test or the exam waits for a processor.
///
///     var clock = ExamClock(at: monotonicNow)
///     clock.advance(to: monotonicNow, waited: .milliseconds(30))
///     clock.now
///
/// The exam judges the plugin's behavior, and a busy machine must not make it fail. A tenth of the
/// waiting time counts, so that the exam ends even on a machine that never schedules it.
struct ExamClock {
  /// The current time of this clock.
  private(set) var now: Instant
  /// The monotonic time of the last update.
  private(set) var updatedAt: Instant

  /// The divisor of the waiting time that counts.
  private static let share = 10

  /// Creates a clock that starts at a time of the monotonic clock.
  init(at moment: Instant) {
    now = moment
    updatedAt = moment
  }

  /// Advances to a monotonic time, of which `waited` was spent waiting.
  ///
  /// The waiting time of several threads may exceed the elapsed time.
  mutating func advance(to moment: Instant, waited: Duration) {
    let passed = updatedAt.duration(to: moment)
    guard passed > .zero else { return }
    updatedAt = moment
    let lost = min(max(.zero, waited), passed)
    now = now.advanced(by: passed - lost + lost / Self.share)
  }
}
