import Testing

@testable import ListEngine

@Suite struct WallTimeTests {
  private static func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
  private static let second: Int64 = 1_000_000_000

  @Test func `equals the monotonic clock until it is set`() {
    let wall = WallTime()
    wall.follow(Self.instant(7))
    #expect(wall.now == 7 * Self.second)
  }

  @Test func `advances with the monotonic clock`() {
    let wall = WallTime()
    wall.set(100 * Self.second, at: Self.instant(7))
    wall.follow(Self.instant(9))
    #expect(wall.now == 102 * Self.second)
    #expect(wall.instant(of: 105 * Self.second) == Self.instant(12))
  }

  @Test func `stands still when it is set back by a second`() {
    let wall = WallTime()
    wall.set(100 * Self.second, at: Self.instant(7))
    wall.set(99 * Self.second, at: Self.instant(7))
    #expect(wall.now == 100 * Self.second)
    wall.follow(Self.instant(8))
    #expect(wall.now == 100 * Self.second)
    wall.follow(Self.instant(9))
    #expect(wall.now == 101 * Self.second)
  }

  @Test func `goes back when it is set back by more than a second`() {
    let wall = WallTime()
    wall.set(100 * Self.second, at: Self.instant(7))
    wall.set(100 * Self.second - Self.second - 1, at: Self.instant(7))
    #expect(wall.now == 99 * Self.second - 1)
  }

  @Test func `stays within 64 bits`() {
    let wall = WallTime()
    wall.set(.max, at: Instant(nanoseconds: -5))
    #expect(wall.now == .max - 5)
    wall.follow(Instant(nanoseconds: 5))
    #expect(wall.now == .max)
    wall.set(.min, at: Instant(nanoseconds: 5))
    #expect(wall.now == .min + 5)
    #expect(wall.instant(of: .max) == Instant(nanoseconds: .max))
  }

  @Test func `a frozen time stays fixed while the original advances`() {
    let wall = WallTime()
    wall.set(100 * Self.second, at: Self.instant(7))
    let frozen = wall.frozen(at: Self.instant(9))
    wall.follow(Self.instant(8))
    #expect(frozen.now == 102 * Self.second)
    #expect(wall.now == 101 * Self.second)
    #expect(wall.frozen(at: nil).now == 101 * Self.second)
  }
}
