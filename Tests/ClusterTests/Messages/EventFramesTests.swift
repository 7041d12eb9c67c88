import ListEngine
import Testing

@testable import Cluster

/// Events of a source as bytes.
@Suite struct EventFramesTests {
  @Test(arguments: [
    Cell.null, .integer(.min), .number(0.5), .text("ä"), .image("one.png"), .series([1, .nan, -.infinity]),
  ])
  func `deferred cells keep their values`(_ value: Cell) throws {
    let frame = try #require(EventFrames.frame(.loaded(.text("key"), column: 3, value)))
    let events = try #require(EventFrames.events(frame))
    guard events.count == 1, case .loaded(.text("key"), column: 3, let decoded) = events[0] else {
      Issue.record("\(events)")
      return
    }
    // A gap is not equal to itself.
    #expect("\(decoded)" == "\(value)")
  }

  @Test func `an invalid value is told apart from an empty one`() throws {
    let frame = try #require(EventFrames.frame(.forget(.integer(7), column: 1)))
    guard case .forget(.integer(7), column: 1)? = EventFrames.events(frame)?.first else {
      Issue.record("no forget")
      return
    }
    #expect(EventFrames.frame(.notLoaded(.integer(7), column: 1, reason: "r")) == nil)
    #expect(EventFrames.events(Array(frame.dropLast())) == nil)
  }
}
