import Testing

@testable import ListEngine

@Suite struct TileHistoryTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero.advanced(by: .milliseconds(milliseconds)) }

  @Test func `a constant value has no course`() {
    var history = TileHistory(.integer(7), at: at(0))
    history.advance(to: at(90_000), with: .integer(7))
    #expect(history.report(.integer(7)) == TileReport(.integer(7)))
  }

  @Test func `samples between two changes have the previous value`() {
    var history = TileHistory(.integer(1), at: at(0))
    history.advance(to: at(4_500), with: .integer(1))
    // Samples at 0, 1, 2, 3 and 4 seconds: the course has those at 1 and 4.
    let report = history.report(.integer(5))
    #expect(report == TileReport(.integer(5), before: .integer(1), seconds: 4, course: [1, 1, 5]))
  }

  @Test func `a change leaves the course after a minute`() {
    var history = TileHistory(.integer(1), at: at(0))
    history.advance(to: at(60_000), with: .integer(2))
    #expect(history.report(.integer(2)).before == .integer(1))
    #expect(history.report(.integer(2)).seconds == 60)
    #expect(history.report(.integer(2)).course.count == 22)
    history.advance(to: at(61_000), with: .integer(2))
    #expect(history.report(.integer(2)).before == nil)
  }

  @Test func `the oldest sample is a minute old in a longer history`() {
    var history = TileHistory(.integer(0), at: at(0))
    for second in 1...200 { history.advance(to: at(Int64(second) * 1_000), with: .integer(Int64(second))) }
    let report = history.report(.integer(201))
    #expect(report.before == .integer(140))
    #expect(report.seconds == 60)
    #expect(report.course == stride(from: 140, through: 200, by: 3).map(Double.init) + [201])
  }

  @Test func `values that are not numbers are missing in the course`() {
    var history = TileHistory(.null, at: at(0))
    history.advance(to: at(3_000), with: .null)
    #expect(history.report(.number(0.5)).course == [nil, nil, 0.5])
  }

  @Test func `a clock that goes back delays no sample by more than a second`() {
    var history = TileHistory(.integer(1), at: at(10_000))
    history.advance(to: at(2_000), with: .integer(1))
    history.advance(to: at(3_000), with: .integer(2))
    #expect(history.report(.integer(2)).seconds == 1)
  }
}
