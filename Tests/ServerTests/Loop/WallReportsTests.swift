import ListEngine
import Testing

@testable import Server

@Suite struct WallReportsTests {
  private static let millisecond: Int64 = 1_000_000

  private static func time(_ input: Input?) -> Int64? {
    if case .wallTime(let time)? = input { time } else { nil }
  }

  @Test func `reports the time first and then only when the clocks diverge`() {
    var reports = WallReports()
    func take(_ wall: Int64, at now: Int64) -> Int64? {
      Self.time(reports.take(wall * Self.millisecond, at: Instant(nanoseconds: now * Self.millisecond)))
        .map { $0 / Self.millisecond }
    }
    #expect(take(5_000, at: 1_000) == 5_000)
    #expect(take(6_000, at: 2_000) == nil)
    #expect(take(7_020, at: 3_000) == nil)
    #expect(take(7_021, at: 3_000) == 7_021)
    #expect(take(7_001, at: 3_000) == nil)
    #expect(take(7_000, at: 3_000) == 7_000)
    #expect(take(9_000_000, at: 3_001) == 9_000_000)
  }
}
