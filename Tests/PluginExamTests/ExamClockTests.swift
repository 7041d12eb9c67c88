import Foundation
import ListEngine
import Testing

@testable import PluginExam

/// The exam's clock hardly advances while a plugin waits for a processor.
@Suite struct ExamClockTests {
  /// Returns the counted time when `waited` of `passed` milliseconds were spent waiting.
  private func counted(_ passed: Int64, waited: Int64) -> Duration {
    var clock = ExamClock(at: Instant(nanoseconds: 7_000_000))
    clock.advance(to: Instant(nanoseconds: 7_000_000 + passed * 1_000_000), waited: .milliseconds(waited))
    return Instant(nanoseconds: 7_000_000).duration(to: clock.now)
  }

  @Test func `counts time without waiting in full`() { #expect(counted(100, waited: 0) == .milliseconds(100)) }

  @Test func `counts a tenth of the time spent waiting`() {
    #expect(counted(100, waited: 40) == .milliseconds(64))
    #expect(counted(100, waited: 100) == .milliseconds(10))
  }

  /// Ten threads that wait for a second add up to ten seconds.
  @Test func `limits the waiting time to 0 and the elapsed time`() {
    #expect(counted(100, waited: 101) == .milliseconds(10))
    #expect(counted(100, waited: 1_000) == .milliseconds(10))
    #expect(counted(100, waited: -5) == .milliseconds(100))
  }

  @Test func `counts each interval from the previous time`() {
    var clock = ExamClock(at: .zero)
    clock.advance(to: Instant(nanoseconds: 100), waited: .nanoseconds(50))
    clock.advance(to: Instant(nanoseconds: 300), waited: .nanoseconds(100))
    #expect(clock.now == Instant(nanoseconds: 55 + 110))
    #expect(clock.updatedAt == Instant(nanoseconds: 300))
  }

  @Test func `stands still when the time goes back`() {
    var clock = ExamClock(at: Instant(nanoseconds: 100))
    clock.advance(to: Instant(nanoseconds: 90), waited: .zero)
    clock.advance(to: Instant(nanoseconds: 100), waited: .nanoseconds(5))
    #expect(clock.now == Instant(nanoseconds: 100) && clock.updatedAt == Instant(nanoseconds: 100))
  }

  /// Two processes compete for one processor, so that one of them is always waiting.
  @Test func `measures the waiting time of a program and its child`() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      """
      one=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
      taskset -cp "$one" $$ > /dev/null
      while :; do :; done &
      trap 'kill $!; exit' TERM
      while :; do :; done
      """,
    ]
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    var wait = ProcessorWait()
    _ = wait.take(of: process.processIdentifier)
    var waited = Duration.zero
    while waited < .milliseconds(50) {
      _ = poll(nil, 0, 5)
      try #require(process.isRunning)
      waited += wait.take(of: process.processIdentifier)
    }
  }

  /// A missing process has no waiting time.
  @Test func `a missing process adds no waiting time`() {
    var wait = ProcessorWait()
    _ = wait.take(of: Int32.max)
    #expect(wait.take(of: Int32.max) < .seconds(60))
  }
}
