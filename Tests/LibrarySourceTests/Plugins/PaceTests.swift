import Quotes
import Testing

@Suite struct PaceTests {
  @Test func `keeps the rate with any step length`() {
    for step in [1, 7, 50, 333] {
      var pace = Pace(rate: 10_000, burst: 10_000, at: .zero)
      var total = 0
      for time in stride(from: 0, through: 23_310, by: step) { total += pace.take(at: .milliseconds(time)) }
      #expect(abs(total - 23_310 / step * step * 10) <= 1, "steps of \(step) ms")
    }
  }

  @Test func `carries fractions over to later steps`() {
    var pace = Pace(rate: 0.5, burst: 10, at: .zero)
    #expect((1...8).map { pace.take(at: .seconds($0)) } == [0, 1, 0, 1, 0, 1, 0, 1])
  }

  @Test func `yields at most one burst after a long pause`() {
    var pace = Pace(rate: 1_000, burst: 1_000, at: .zero)
    #expect(pace.take(at: .seconds(3_600)) == 1_000)
    #expect(pace.take(at: .seconds(3_600) + .milliseconds(10)) == 10)
  }

  @Test func `yields nothing when the clock stands still or goes back`() {
    var pace = Pace(rate: 1_000, burst: 1_000, at: .seconds(10))
    #expect(pace.take(at: .seconds(10)) == 0)
    #expect(pace.take(at: .seconds(5)) == 0)
    #expect(pace.take(at: .seconds(10) + .milliseconds(1)) == 1)
  }
}
