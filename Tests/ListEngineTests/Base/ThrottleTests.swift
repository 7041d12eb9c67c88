import Testing

@testable import ListEngine

/// The throttle, drawn as timelines: a column is 10 ms, and the interval is five columns.
///
/// `c` is a change, `x` a cancellation, and `F` a flush.
@Suite struct ThrottleTests {
  @Test func `the first change after a quiet time is flushed at once`() {
    #expect(flushes("--c-------c-----") == "--F-------F-----")
  }

  @Test func `later changes wait for the interval and are flushed together`() {
    #expect(flushes("cccc-----------") == "F----F---------")
    #expect(flushes("c-c------------") == "F----F---------")
  }

  @Test func `constant changes are flushed once per interval`() {
    #expect(flushes("ccccccccccccccccc") == "F----F----F----F-")
  }

  @Test func `a last change before, at or after the deadline is flushed`() {
    #expect(flushes("c---c------") == "F----F-----")
    #expect(flushes("c----c-----") == "F----F-----")
    #expect(flushes("c-----c----") == "F-----F----")
  }

  @Test func `flushes nothing without a change`() {
    #expect(flushes("-----------") == "-----------")
    #expect(flushes("c----------") == "F----------")
  }

  @Test func `a cancellation discards the waiting changes`() {
    #expect(flushes("c-c-x------") == "F----------")
  }

  @Test func `a change after a cancellation is flushed as if none had waited`() {
    // The original implementation keeps its mark here and never flushes again.
    #expect(flushes("c-cxc------") == "F----F-----")
    #expect(flushes("c-cx-----c-") == "F--------F-")
    #expect(flushes("x--c-------") == "---F-------")
  }

  @Test func `a timer that fires early loses no change`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(0))
    expect(true, &throttle, at: at(0))
    throttle.noteChange(at: at(1))
    let early = Instant(nanoseconds: at(5).nanoseconds - 1)
    expect(false, &throttle, at: early)
    #expect(throttle.deadline == at(5))
    expect(true, &throttle, at: at(5))
  }

  @Test func `a late flush starts the next interval`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(0))
    expect(true, &throttle, at: at(7))
    throttle.noteChange(at: at(8))
    #expect(throttle.deadline == at(12))
  }

  @Test func `a clock that stands still loses no change`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(0))
    expect(true, &throttle, at: at(0))
    throttle.noteChange(at: at(0))
    for _ in 0..<100 { expect(false, &throttle, at: at(0)) }
    #expect(throttle.deadline == at(5))
    expect(true, &throttle, at: at(5))
  }

  @Test func `a change after the clock went back waits at most an interval`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(400_000))
    expect(true, &throttle, at: at(400_000))
    throttle.noteChange(at: at(10))
    #expect(throttle.deadline == at(15))
    expect(false, &throttle, at: at(14))
    expect(true, &throttle, at: at(15))
  }

  @Test func `a clock that goes back delays a waiting change one interval`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(1000))
    expect(true, &throttle, at: at(1000))
    throttle.noteChange(at: at(1002))
    expect(false, &throttle, at: at(3))
    expect(true, &throttle, at: at(8))
  }

  @Test func `a clock that jumps ahead causes one flush`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(0))
    expect(true, &throttle, at: at(0))
    throttle.noteChange(at: at(1))
    expect(true, &throttle, at: at(1_000_000))
    expect(false, &throttle, at: at(1_000_001))
  }

  @Test func `a new interval applies to waiting changes`() {
    var throttle = Throttle(interval: .milliseconds(50))
    throttle.noteChange(at: at(0))
    expect(true, &throttle, at: at(0))
    throttle.noteChange(at: at(1))
    throttle.interval = .milliseconds(20)
    #expect(throttle.deadline == at(2))
    throttle.interval = .milliseconds(100)
    #expect(throttle.deadline == at(10))
  }

  @Test func `an interval of zero flushes every change`() {
    var throttle = Throttle(interval: .zero)
    for column in 0..<5 {
      throttle.noteChange(at: at(column))
      expect(true, &throttle, at: at(column))
    }
  }

  @Test func `an interval of zero flushes even if the clock stands still`() {
    var throttle = Throttle(interval: .zero)
    for _ in 0..<5 {
      throttle.noteChange(at: at(0))
      expect(true, &throttle, at: at(0))
    }
  }

  private func expect(
    _ flushes: Bool, _ throttle: inout Throttle, at now: Instant, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let flushed = throttle.takeFlush(at: now)
    #expect(flushed == flushes, sourceLocation: sourceLocation)
  }

  private func at(_ column: Int) -> Instant { Instant(nanoseconds: Int64(column + 100) * 10_000_000) }

  /// Runs a timeline of changes, polling at every column as a loop does, and draws the flushes.
  private func flushes(_ line: String) -> String {
    var throttle = Throttle(interval: .milliseconds(50))
    var drawn = ""
    for (column, sign) in line.enumerated() {
      if sign == "c" { throttle.noteChange(at: at(column)) }
      if sign == "x" { throttle.cancel() }
      drawn += throttle.takeFlush(at: at(column)) ? "F" : "-"
    }
    return drawn
  }
}
