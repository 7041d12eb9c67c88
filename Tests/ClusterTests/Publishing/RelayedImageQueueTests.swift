import ListEngine
import Testing

@testable import Cluster

/// The images that a publisher loads for relays.
@Suite struct RelayedImageQueueTests {
  private func call(_ number: UInt64, node: String = "a", key: String? = "k", expires: Int64 = 100) -> ImageCall {
    ImageCall(node: node, number: number, key: key, expires: expires)
  }

  @Test func `each request has a number of its own at the source, and one answer`() {
    var queue = RelayedImageQueue()
    guard case .load(let one) = queue.begin(call(1), key: "k", reply: "r1", at: 0),
      case .load(let other) = queue.begin(call(1, node: "b"), key: "k", reply: "r2", at: 0)
    else {
      Issue.record("a request is refused")
      return
    }
    #expect(one != other && one > RelayedActionQueue.firstNumber)
    // It came twice.
    #expect(queue.begin(call(1), key: "k", reply: "r1", at: 0) == .ignore)
    #expect(queue.finish(one) == "r1")
    #expect(queue.finish(one) == nil)
    #expect(queue.cancel(call(1, node: "b", key: nil)) == other)
    #expect(queue.finish(other) == nil)
  }

  @Test func `late requests are ignored, and bad keys and too many refused`() {
    var queue = RelayedImageQueue()
    #expect(queue.begin(call(1, expires: 5), key: "k", reply: "r", at: 5) == .ignore)
    #expect(queue.begin(call(1), key: "", reply: "r", at: 0) == .refuse(.none))
    let long = String(repeating: "x", count: RelayedImageQueue.greatestKey + 1)
    #expect(queue.begin(call(1), key: long, reply: "r", at: 0) == .refuse(.none))
    for number in 1...UInt64(RelayedImageQueue.greatestPending) {
      #expect(queue.begin(call(number), key: "k", reply: "r", at: 0) != .ignore)
    }
    guard case .refuse(.failed(let reason)) = queue.begin(call(99), key: "k", reply: "r", at: 0) else {
      Issue.record("too many requests are taken")
      return
    }
    #expect(reason.contains("try again later"))
    // The relay of the others is gone.
    guard case .load = queue.begin(call(99, expires: 200), key: "k", reply: "r", at: 100) else {
      Issue.record("requests past their deadline count")
      return
    }
  }

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
