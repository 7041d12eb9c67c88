import Testing

@testable import ListEngine

@Suite struct PaceTests {
  @Test func anIntervalIsRoundedUpToItsClass() {
    #expect(Pace(asked: .zero).interval == .zero)
    #expect(Pace(asked: .milliseconds(10)).interval == .milliseconds(16))
    #expect(Pace(asked: .milliseconds(300)).interval == .milliseconds(300))
    #expect(Pace(asked: .milliseconds(301)).interval == .milliseconds(500))
    #expect(Pace(asked: .seconds(3600)).interval == .seconds(60))
  }

  @Test func theIntervalGrowsWhileAcknowledgementsAreSlow() {
    var pace = Pace(asked: .milliseconds(300))
    pace.noteAcknowledgement(after: .milliseconds(301))
    #expect(pace.interval == .milliseconds(500))
    pace.noteAcknowledgement(after: .milliseconds(400))
    #expect(pace.interval == .milliseconds(500))
    for _ in 0..<100 { pace.noteAcknowledgement(after: .seconds(100)) }
    #expect(pace.interval == .seconds(60))
  }

  @Test func itShrinksBackAfterSeveralFastOnesButNotBelowWhatWasAsked() {
    var pace = Pace(asked: .milliseconds(300))
    for _ in 0..<2 { pace.noteAcknowledgement(after: .seconds(5)) }
    #expect(pace.interval == .milliseconds(750))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    #expect(pace.interval == .milliseconds(750))
    pace.noteAcknowledgement(after: .milliseconds(5))
    #expect(pace.interval == .milliseconds(500))
    for _ in 0..<100 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    #expect(pace.interval == .milliseconds(300))
  }

  @Test func oneSlowAcknowledgementBreaksARunOfFastOnes() {
    var pace = Pace(asked: .milliseconds(100))
    pace.noteAcknowledgement(after: .seconds(1))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    pace.noteAcknowledgement(after: .milliseconds(140))
    for _ in 0..<3 { pace.noteAcknowledgement(after: .milliseconds(5)) }
    #expect(pace.interval == .milliseconds(150))
  }

  @Test func aShortIntervalIsNotPunishedForAnOrdinaryRoundTrip() {
    var pace = Pace(asked: .zero)
    for _ in 0..<10 { pace.noteAcknowledgement(after: .milliseconds(40)) }
    #expect(pace.interval == .zero)
  }

  @Test func askingAgainForgetsWhatWasSlow() {
    var pace = Pace(asked: .milliseconds(300))
    for _ in 0..<5 { pace.noteAcknowledgement(after: .seconds(10)) }
    pace.ask(.milliseconds(100))
    #expect(pace.interval == .milliseconds(100))
  }
}
