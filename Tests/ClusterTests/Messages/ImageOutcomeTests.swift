import ListEngine
import Testing

@testable import Cluster

/// The bytes of answers with images.
@Suite struct ImageOutcomeTests {
  @Test(arguments: [
    ImageOutcome.bytes([1, 2, 3]), .bytes([]), .none, .failed("no picture"), .sourceDown,
  ])
  func `outcomes travel as bytes`(_ outcome: ImageOutcome) {
    #expect(ImageOutcome(decoding: outcome.encoded) == outcome)
  }

  @Test func `invalid bytes are no outcome`() {
    #expect(ImageOutcome(decoding: []) == nil)
    #expect(ImageOutcome(decoding: [9]) == nil)
  }
}
