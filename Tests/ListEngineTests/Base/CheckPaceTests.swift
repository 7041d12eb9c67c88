import Testing

@testable import ListEngine

/// The pace at which debug builds check all rows.
@Suite struct CheckPaceTests {
  @Test func `a small table is checked at every change`() {
    var pace = CheckPace()
    let checks = [0, 1, 4_096].count { pace.isDue(rows: $0) }
    #expect(checks == 3)
  }

  @Test func `a change costs a bounded number of rows of a large table`() {
    var pace = CheckPace()
    let checks = (0..<1_000).count { _ in pace.isDue(rows: 700_000) }
    // One check in 171 changes.
    #expect(checks == 5)
    #expect(checks * 700_000 <= 1_000 * CheckPace.rowsPerChange)
  }
}
