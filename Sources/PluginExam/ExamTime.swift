import Glibc
import ListEngine
import SourceRuntime

/// An ``ExamClock`` of a running plugin, driven by the kernel's scheduling statistics.
///
/// Used on the exam's thread only.
final class ExamTime {
  private var clock = ExamClock(at: monotonicNow)
  private var wait = ProcessorWait()
  private let process: pid_t?

  /// The minimum interval between updates, because each one reads several files in /proc.
  private static let grain = Duration.milliseconds(10)

  /// Creates a clock for a process and its descendants.
  ///
  /// With `nil` it measures the exam's own thread, for libraries running in this process.
  init(of process: pid_t?) {
    self.process = process
    _ = wait.take(of: process)
  }

  /// The current time of this clock.
  var now: Instant {
    let moment = monotonicNow
    if clock.updatedAt.duration(to: moment) >= Self.grain { clock.advance(to: moment, waited: wait.take(of: process)) }
    return clock.now
  }
}
