import ListEngine
import Testing

@testable import Cluster

/// The age of what a relay has received, without a common clock.
@Suite struct FeedAgeTests {
  private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  /// Returns the delay in milliseconds of a message that was written at a time of another clock.
  private static func delay(_ age: inout FeedAge, _ written: UInt64, fence: UInt64 = 5, at now: Int64) -> Int64 {
    age.of(written * 1_000_000, fence: fence, at: at(now)).nanoseconds / 1_000_000
  }

  @Test func `the least difference of the clocks counts as no delay`() {
    var age = FeedAge()
    #expect(Self.delay(&age, 70_000, at: 1_000) == 0)
    #expect(Self.delay(&age, 71_000, at: 2_000) == 0)
    #expect(Self.delay(&age, 72_000, at: 2_990) == 0)
    #expect(Self.delay(&age, 72_100, at: 3_100) == 9)
  }

  @Test func `messages that waited are as old as the wait`() {
    var age = FeedAge()
    #expect(Self.delay(&age, 70_000, at: 1_000) == 0)
    // The relay was paused for 4 s, in which drifting clocks may differ by 4 ms.
    #expect(Self.delay(&age, 71_000, at: 6_000) == 3_995)
    #expect(Self.delay(&age, 75_000, at: 6_000) == 0)
  }

  @Test func `clocks that drift apart slowly make no delay`() {
    var age = FeedAge()
    for second in 1...1_000 {
      let now = Int64(second) * 1_000
      // Half a millisecond a second.
      #expect(Self.delay(&age, UInt64(now - now / 2_000), at: now) == 0)
    }
  }

  @Test func `another publisher has a clock of its own`() {
    var age = FeedAge()
    #expect(Self.delay(&age, 70_000, at: 1_000) == 0)
    #expect(Self.delay(&age, 100, fence: 6, at: 2_000) == 0)
    #expect(Self.delay(&age, 600, fence: 6, at: 3_000) == 499)
  }

  @Test func `a message without a time has no delay`() {
    var age = FeedAge()
    #expect(Self.delay(&age, 70_000, at: 1_000) == 0)
    #expect(Self.delay(&age, 0, at: 90_000) == 0)
  }

  @Test func `numbers at the ends of their range do not trap`() {
    var age = FeedAge()
    for written in [UInt64.max, UInt64(Int64.max), 1] {
      for now in [Int64.min, 0, .max] {
        #expect(age.of(written, fence: 5, at: Instant(nanoseconds: now)) >= .zero)
      }
    }
  }
}
