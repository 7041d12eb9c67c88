import Glibc
import ListEngine

/// The time that an examined plugin has had: what it, or the exam, waits for a processor does not count.
///
///     var clock = ExamClock(at: monotonicNow)
///     clock.advance(to: monotonicNow, waited: .milliseconds(30))  // 30 ms of what has passed were waiting
///     clock.now
///
/// An exam judges by what a plugin does, and a machine that is busy with something else must not fail it. Who waits takes a tenth of the time
/// all the same, so that an exam ends on a machine that never gets round to it.
struct ExamClock {
  /// The moment by this clock.
  private(set) var now: Instant
  /// When it was last told the time.
  private(set) var toldAt: Instant

  /// Of the time that is waited this part counts.
  private static let share = 10

  /// One that begins at a moment of the monotonic clock.
  init(at moment: Instant) {
    now = moment
    toldAt = moment
  }

  /// Goes on to a moment, since the last of which so much was waited: by several at the same time more than has passed, perhaps.
  mutating func advance(to moment: Instant, waited: Duration) {
    let passed = toldAt.duration(to: moment)
    guard passed > .zero else { return }
    toldAt = moment
    let lost = min(max(.zero, waited), passed)
    now = now.advanced(by: passed - lost + lost / Self.share)
  }
}
