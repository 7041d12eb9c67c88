import ListEngine
import Testing

@testable import Server

@Suite struct ExportPaceTests {
  private func at(_ seconds: Int) -> Instant { .zero.advanced(by: .seconds(seconds)) }

  @Test func `fails an export read at less than 4,096 bytes per second`() {
    var pace = ExportPace(.init(), at: .zero)
    pace.goOn(sent: 61 * ExportPace.Bounds().leastRate - 1, at: at(1))
    #expect(pace.fault(at: at(60)) == nil)
    #expect(pace.fault(at: at(61)) == "less than 4096 bytes per second are read")
    pace.goOn(sent: 1, at: at(61))
    #expect(pace.fault(at: at(61)) == nil)
  }

  @Test func `fails an export after an hour at any speed`() {
    var pace = ExportPace(.init(), at: .zero)
    pace.goOn(sent: .max / 2, at: at(1))
    #expect(pace.fault(at: at(3_600)) == nil)
    #expect(pace.fault(at: at(3_601)) == "it takes more than 3600 s")
  }

  @Test func `does not count the time spent waiting for the source`() {
    var pace = ExportPace(.init(), at: .zero)
    pace.wait(at: at(10))
    pace.wait(at: at(500))
    pace.goOn(at: at(4_010))
    #expect(pace.fault(at: at(4_060)) == nil)
    #expect(pace.fault(at: at(4_061)) != nil)
  }
}
