import ListEngine
import Testing

@testable import Cluster

/// The images and queries that a publisher requests for relays.
@Suite struct RelayedRequestQueueTests {
  private static func name(_ number: UInt64, node: String = "a") -> RelayedRequestQueue.Name {
    .init(node: node, number: number)
  }

  @Test func `each request has a number of its own at the source, and one answer`() {
    var queue = RelayedRequestQueue(after: 100, most: 4)
    #expect(queue.begin(Self.name(1), reply: "r1", expires: 9, at: 0) == .ask(101))
    #expect(queue.begin(Self.name(1, node: "b"), reply: "r2", expires: 9, at: 0) == .ask(102))
    // It came twice.
    #expect(queue.begin(Self.name(1), reply: "r1", expires: 9, at: 0) == .ignore)
    #expect(queue.finish(101) == "r1")
    #expect(queue.finish(101) == nil)
    #expect(queue.cancel(Self.name(1, node: "b")) == 102)
    #expect(queue.cancel(Self.name(1, node: "b")) == nil)
    #expect(queue.finish(102) == nil)
  }

  @Test func `late requests are ignored, and too many refused`() {
    var queue = RelayedRequestQueue(after: 0, most: 2)
    #expect(queue.begin(Self.name(9), reply: "r", expires: 5, at: 5) == .ignore)
    #expect(queue.begin(Self.name(1), reply: "r", expires: 50, at: 0) == .ask(1))
    #expect(queue.begin(Self.name(2), reply: "r", expires: 90, at: 0) == .ask(2))
    #expect(queue.begin(Self.name(3), reply: "r", expires: 90, at: 49) == .refuse)
    // The relay of the first one is gone.
    #expect(queue.begin(Self.name(3), reply: "r", expires: 90, at: 50) == .ask(3))
    #expect(queue.finish(1) == nil)
  }

  @Test func `after the end of all requests none is answered`() {
    var queue = RelayedRequestQueue(after: 0, most: 2)
    #expect(queue.begin(Self.name(1), reply: "r1", expires: 9, at: 0) == .ask(1))
    #expect(queue.begin(Self.name(2), reply: "r2", expires: 9, at: 0) == .ask(2))
    #expect(queue.removeAll().sorted() == ["r1", "r2"])
    #expect(queue.finish(1) == nil)
    #expect(queue.begin(Self.name(1), reply: "r1", expires: 9, at: 0) == .ask(3))
  }
}
