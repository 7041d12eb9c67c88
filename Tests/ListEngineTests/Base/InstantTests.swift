import Testing

@testable import ListEngine

/// Instants and durations at the limits of 64 bits never trap.
@Suite struct InstantTests {
  private let last = Instant(nanoseconds: .max)
  private let first = Instant(nanoseconds: .min)

  @Test func `instants differ by the durations that they advance`() {
    #expect(Instant(nanoseconds: 5).advanced(by: .nanoseconds(7)) == Instant(nanoseconds: 12))
    #expect(Instant(nanoseconds: 5).advanced(by: .nanoseconds(-7)) == Instant(nanoseconds: -2))
    #expect(Instant(nanoseconds: 5).duration(to: Instant(nanoseconds: 12)) == .nanoseconds(7))
    #expect(Instant(nanoseconds: 12).duration(to: Instant(nanoseconds: 5)) == .nanoseconds(-7))
    #expect(Instant(nanoseconds: 5) < Instant(nanoseconds: 6) && !(Instant.zero < Instant.zero))
  }

  @Test func `advancing saturates at the first and last instant`() {
    #expect(last.advanced(by: .zero) == last)
    #expect(last.advanced(by: .nanoseconds(1)) == last)
    #expect(Instant(nanoseconds: .max - 1).advanced(by: .nanoseconds(1)) == last)
    #expect(first.advanced(by: .nanoseconds(-1)) == first)
    #expect(Instant.zero.advanced(by: .seconds(Int64.max)) == last)
    #expect(Instant.zero.advanced(by: .seconds(Int64.min)) == first)
  }

  @Test func `the duration between distant instants saturates`() {
    #expect(first.duration(to: last) == .nanoseconds(Int64.max))
    #expect(last.duration(to: first) == .nanoseconds(Int64.min))
    #expect(Instant.zero.duration(to: last) == .nanoseconds(Int64.max))
  }

  @Test func `the nanoseconds of a duration saturate at 64 bits`() {
    #expect(Duration.nanoseconds(Int64.max).nanoseconds == .max)
    #expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds == .max)
    #expect((Duration.nanoseconds(Int64.min) - .nanoseconds(1)).nanoseconds == .min)
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    #expect(Duration.milliseconds(-1_500).nanoseconds == -1_500_000_000)
  }
}
