import Glibc
import ListEngine

/// An ``ExamClock`` of one plugin that runs, told by the kernel. Used on the exam's thread.
final class ExamTime {
  private var clock = ExamClock(at: monotonicNow)
  private var wait = ProcessorWait()
  private let process: pid_t?

  /// Looking costs some files of /proc, so it is not done more often than this.
  private static let grain = Duration.milliseconds(10)

  /// The time of a process and of what it starts; of none: of the exam's own thread, beside which a library runs.
  init(of process: pid_t?) {
    self.process = process
    _ = wait.take(of: process)
  }

  /// The moment.
  var now: Instant {
    let moment = monotonicNow
    if clock.toldAt.duration(to: moment) >= Self.grain { clock.advance(to: moment, waited: wait.take(of: process)) }
    return clock.now
  }
}
