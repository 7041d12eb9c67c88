import Testing

@testable import ListEngine

@Suite struct PaceTests {
  @Test func `rounds an interval up to its class, at most 60 seconds`() {
    #expect(Pace(requested: .zero).interval == .zero)
    #expect(Pace(requested: .milliseconds(10)).interval == .milliseconds(16))
    #expect(Pace(requested: .milliseconds(300)).interval == .milliseconds(300))
    #expect(Pace(requested: .milliseconds(301)).interval == .milliseconds(500))
    #expect(Pace(requested: .seconds(3600)).interval == .seconds(60))
  }

  @Test func `keeps an exact class and rounds 1 ns more up to the next`() {
    let classes: [Int64] = [
      0, 16, 33, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 30_000, 60_000,
    ]
    for (milliseconds, next) in zip(classes, classes.dropFirst() + [60_000]) {
      #expect(Pace(requested: .milliseconds(milliseconds)).interval == .milliseconds(milliseconds))
      #expect(Pace(requested: .milliseconds(milliseconds) + .nanoseconds(1)).interval == .milliseconds(next))
    }
  }

  /// Returns a pace of a client that requested 300 ms and now has 500.
  private func slowed() -> Pace {
    var pace = Pace(requested: .milliseconds(300))
    pace.noteAcknowledgement(after: .milliseconds(300) + .nanoseconds(1))
    return pace
  }

  @Test func `an acknowledgement after exactly the interval is not slow`() {
    var pace = Pace(requested: .milliseconds(300))
    pace.noteAcknowledgement(after: .milliseconds(300))
    #expect(pace.interval == .milliseconds(300))
    pace.noteAcknowledgement(after: .milliseconds(300) + .nanoseconds(1))
    #expect(pace.interval == .milliseconds(500))
  }

  @Test func `an acknowledgement within 100 ms is never slow`() {
    for requested: Duration in [.zero, .milliseconds(50), .milliseconds(100)] {
      var pace = Pace(requested: requested)
      pace.noteAcknowledgement(after: .milliseconds(100))
      #expect(pace.interval == requested)
      pace.noteAcknowledgement(after: .milliseconds(100) + .nanoseconds(1))
      #expect(pace.interval > requested)
    }
  }

  @Test func `an acknowledgement within half the interval is fast`() {
    for (delay, interval) in [(Duration.milliseconds(250), 300), (.milliseconds(250) + .nanoseconds(1), 500)] {
      var pace = slowed()
      for _ in 0..<4 { pace.noteAcknowledgement(after: delay) }
      #expect(pace.interval == .milliseconds(interval))
    }
    // For a short interval the bound is half of 100 ms.
    for (delay, interval) in [(Duration.milliseconds(50), 16), (.milliseconds(50) + .nanoseconds(1), 33)] {
      var pace = Pace(requested: .milliseconds(16))
      pace.noteAcknowledgement(after: .seconds(1))
      for _ in 0..<4 { pace.noteAcknowledgement(after: delay) }
      #expect(pace.interval == .milliseconds(interval))
    }
  }

  @Test func `each shrink takes a new run of fast acknowledgements`() {
    var pace = slowed()
    pace.noteAcknowledgement(after: .seconds(9))
    #expect(pace.interval == .milliseconds(750))
    for _ in 0..<4 { pace.noteAcknowledgement(after: .milliseconds(1)) }
    #expect(pace.interval == .milliseconds(500))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(1)) }
    #expect(pace.interval == .milliseconds(500))
    pace.noteAcknowledgement(after: .milliseconds(1))
    #expect(pace.interval == .milliseconds(300))
  }

  @Test func `slow acknowledgements lengthen the interval up to 60 seconds`() {
    var pace = Pace(requested: .milliseconds(300))
    pace.noteAcknowledgement(after: .milliseconds(301))
    #expect(pace.interval == .milliseconds(500))
    pace.noteAcknowledgement(after: .milliseconds(400))
    #expect(pace.interval == .milliseconds(500))
    for _ in 0..<100 { pace.noteAcknowledgement(after: .seconds(100)) }
    #expect(pace.interval == .seconds(60))
  }

  @Test func `fast acknowledgements shrink it, but not below the request`() {
    var pace = Pace(requested: .milliseconds(300))
    for _ in 0..<2 { pace.noteAcknowledgement(after: .seconds(5)) }
    #expect(pace.interval == .milliseconds(750))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    #expect(pace.interval == .milliseconds(750))
    pace.noteAcknowledgement(after: .milliseconds(5))
    #expect(pace.interval == .milliseconds(500))
    for _ in 0..<100 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    #expect(pace.interval == .milliseconds(300))
  }

  @Test func `an acknowledgement of medium delay breaks a run of fast ones`() {
    var pace = Pace(requested: .milliseconds(100))
    pace.noteAcknowledgement(after: .seconds(1))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    pace.noteAcknowledgement(after: .milliseconds(140))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    #expect(pace.interval == .milliseconds(150))
  }

  @Test func `round trips of 40 ms do not lengthen a zero interval`() {
    var pace = Pace(requested: .zero)
    for _ in 0..<10 { pace.noteAcknowledgement(after: .milliseconds(40)) }
    #expect(pace.interval == .zero)
  }

  @Test func `requesting an interval again discards earlier growth`() {
    var pace = Pace(requested: .milliseconds(300))
    for _ in 0..<5 { pace.noteAcknowledgement(after: .seconds(10)) }
    pace.request(.milliseconds(100))
    #expect(pace.interval == .milliseconds(100))
  }
}
