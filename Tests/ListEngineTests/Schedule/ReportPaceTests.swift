import Testing

@testable import ListEngine

/// When a client gets the next report of a board.
@Suite struct ReportPaceTests {
  private static let interval = Duration.milliseconds(100)

  private static func due(_ pace: ReportPace, at milliseconds: Int) -> Bool {
    pace.isDue(after: interval, at: .zero.advanced(by: .milliseconds(milliseconds)))
  }

  /// A pace whose last report was sent at 1,000 ms.
  private static var sent: ReportPace {
    var pace = ReportPace()
    pace.settle(sentAt: .zero.advanced(by: .seconds(1)))
    return pace
  }

  @Test func `the first report is due at once`() {
    #expect(Self.due(ReportPace(), at: 0))
  }

  @Test func `no report is due without a change`() {
    #expect(!Self.due(Self.sent, at: 9_999))
  }

  @Test func `a change is reported after the interval, counted from the last report`() {
    var pace = Self.sent
    pace.schedule(.inTime)
    #expect(!Self.due(pace, at: 1_099))
    #expect(Self.due(pace, at: 1_100))
    #expect(pace.time(after: Self.interval) == .zero.advanced(by: .milliseconds(1_100)))
  }

  @Test func `an input of the client does not wait, also after a change`() {
    var pace = Self.sent
    pace.schedule(.atOnce)
    pace.schedule(.inTime)
    #expect(Self.due(pace, at: 1_000))
  }

  @Test func `a report that has nothing to tell leaves the time of the last one`() {
    var pace = Self.sent
    pace.schedule(.inTime)
    pace.settle()
    pace.schedule(.inTime)
    #expect(Self.due(pace, at: 1_100))
  }

  @Test func `a report is due when the clock has gone back`() {
    var pace = Self.sent
    pace.schedule(.inTime)
    #expect(Self.due(pace, at: 999))
  }
}
