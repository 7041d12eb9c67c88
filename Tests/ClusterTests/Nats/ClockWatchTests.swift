import ListEngine
import Testing

@testable import Cluster

/// The detection of a time of day that is set back.
@Suite struct ClockWatchTests {
  private static let second: Int64 = 1_000_000_000
  private static let wall = 1_800_000_000 * second

  private static func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * second) }

  @Test func `a clock that is set back is noticed once`() {
    var watch = ClockWatch(wall: Self.wall, at: Self.at(10))
    let found = [1, -3_600, -3_599].enumerated().map { place, seconds in
      watch.wasSetBack(wall: Self.wall + Int64(seconds) * Self.second, at: Self.at(11 + Int64(place)))
    }
    #expect(found == [false, true, false])
  }

  @Test func `a clock that is set forward or corrected slowly is left alone`() {
    var watch = ClockWatch(wall: Self.wall, at: Self.at(10))
    var found = [watch.wasSetBack(wall: Self.wall + 3_600 * Self.second, at: Self.at(11))]
    for step in 1...100 {
      let now = Int64(step)
      // Ten milliseconds a second.
      let wall = Self.wall + (3_600 + now) * Self.second - now * 10_000_000
      found.append(watch.wasSetBack(wall: wall, at: Self.at(11 + now)))
    }
    #expect(!found.contains(true))
  }

  @Test func `times at the ends of their range do not trap`() {
    var watch = ClockWatch(wall: .min, at: Instant(nanoseconds: .max))
    for wall in [Int64.max, 0, .min] {
      for now in [Int64.min, 0, .max] { _ = watch.wasSetBack(wall: wall, at: Instant(nanoseconds: now)) }
    }
  }
}
