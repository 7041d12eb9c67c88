import ListEngine
import Testing

@testable import Cluster

/// The loads of a publisher for its own clients and for relays.
@Suite struct RelayedLoadQueueTests {
  private static let schema: Schema = {
    var schema = Schema(
      name: "files", key: .integer, columns: [Column("name", .text), Column("size", .integer, isDeferred: true)])
    schema.prefetch.inFlight = 3
    return schema
  }()

  private static func cell(_ key: Int64) -> DeferredCell { DeferredCell(.integer(key), column: 1) }
  private static func place(_ key: Int64, column: String = "size") -> LoadCall.Place {
    LoadCall.Place(key: .integer(key), column: column)
  }

  private var queue = RelayedLoadQueue()

  private mutating func ask(_ node: String, _ keys: [Int64], cancel: [Int64] = [], expires: Int64 = 100) -> LoadFailure?
  {
    let call = LoadCall(
      node: node, wanted: keys.map { Self.place($0) }, cancelled: cancel.map { Self.place($0) }, expires: expires)
    return queue.ask(call, reply: "to \(node)", schema: Self.schema, at: 10)
  }

  private mutating func step(at now: Int64 = 10) -> (loads: [Int64], cancels: [Int64]) {
    let steps = queue.step(schema: Self.schema, at: now)
    func keys(_ cells: [DeferredCell]) -> [Int64] {
      cells.compactMap { if case .integer(let key) = $0.key { key } else { nil } }
    }
    return (keys(steps.loads), keys(steps.cancels).sorted())
  }

  @Test mutating func `a cell that two relays want is loaded once`() {
    #expect(ask("a", [1, 2]) == nil)
    #expect(ask("b", [2, 3]) == nil)
    #expect(step().loads == [1, 2, 3])
    #expect(queue.finish(Self.cell(2)) == ["to a", "to b"])
    #expect(queue.finish(Self.cell(2)) == [])
    #expect(step().loads == [])
  }

  @Test mutating func `as many loads are in flight as the source allows`() {
    #expect(ask("a", [1, 2, 3, 4, 5]) == nil)
    #expect(step().loads == [1, 2, 3])
    _ = queue.finish(Self.cell(2))
    #expect(step().loads == [4])
    // The publisher's clients come first, and one load of relays goes on.
    #expect(queue.takeOwn(.load((10..<20).map { Self.cell($0) })) != nil)
    for key: Int64 in [1, 3, 4] { _ = queue.finish(Self.cell(key)) }
    #expect(step().loads == [5])
    #expect(ask("a", [6]) == nil)
    #expect(step().loads == [])
  }

  @Test mutating func `a load is cancelled when the last relay has cancelled it`() {
    _ = ask("a", [1])
    _ = ask("b", [1])
    #expect(step().loads == [1])
    _ = ask("a", [], cancel: [1])
    #expect(step().cancels == [])
    _ = ask("b", [], cancel: [1])
    #expect(step().cancels == [1])
    #expect(queue.counts == (0, 0))
    // A cell that only waits is dropped without a word to the source.
    _ = ask("a", [1, 2, 3, 4])
    #expect(step().loads == [1, 2, 3])
    _ = ask("a", [], cancel: [4])
    #expect(step() == ([], []))
    #expect(queue.counts == (3, 0))
  }

  @Test mutating func `clients of the publisher and relays share a load`() {
    guard case .load(let first)? = queue.takeOwn(.load([Self.cell(1)])) else {
      Issue.record("no load")
      return
    }
    #expect(first == [Self.cell(1)])
    _ = ask("a", [1, 2])
    #expect(step().loads == [2])
    #expect(queue.takeOwn(.load([Self.cell(2)])) == nil)
    // Each goes on for the other one.
    #expect(queue.takeOwn(.cancel([Self.cell(1)])) == nil)
    _ = ask("a", [], cancel: [2])
    #expect(step() == ([], []))
    guard case .cancel(let cells)? = queue.takeOwn(.cancel([Self.cell(2)])) else {
      Issue.record("no cancel")
      return
    }
    #expect(cells == [Self.cell(2)])
    _ = ask("a", [], cancel: [1])
    #expect(step().cancels == [1])
  }

  @Test mutating func `wishes of a relay that has died end at their deadline`() {
    _ = ask("a", [1, 2, 3, 4], expires: 50)
    #expect(step().loads == [1, 2, 3])
    _ = ask("b", [2], expires: 90)
    #expect(step(at: 50).cancels == [1, 3])
    #expect(queue.counts == (1, 0))
  }

  @Test mutating func `requests that are late, unknown or too many are refused with a reason`() throws {
    let late = ask("a", [1], expires: 10)
    #expect(late?.reason == "the request came too late")
    let call = LoadCall(node: "a", wanted: [Self.place(1, column: "name"), Self.place(2)], expires: 100)
    let answer = queue.ask(call, reply: "r", schema: Self.schema, at: 10)
    let failure = try #require(answer)
    #expect(failure.cells == [Self.place(1, column: "name")])
    #expect(failure.reason == "the table has no such deferred column")
    let keys = (0..<Int64(RelayedLoadQueue.greatestWaiting + 10)).map { $0 + 100 }
    for start in stride(from: 0, to: keys.count, by: 1_000) {
      _ = ask("a", Array(keys[start..<min(start + 1_000, keys.count)]))
    }
    #expect(queue.counts.waiting == RelayedLoadQueue.greatestWaiting)
    let busy = ask("b", [1])
    #expect(try #require(busy).reason.contains("try again later"))
    // A cell that waits already is not another one.
    #expect(ask("b", [200]) == nil)
  }

  @Test mutating func `other columns end all loads`() {
    _ = ask("a", [1, 2])
    _ = ask("b", [2])
    _ = step()
    let ended = queue.reset()
    #expect(Set(ended["to a"] ?? []) == [Self.cell(1), Self.cell(2)])
    #expect(ended["to b"] == [Self.cell(2)])
    #expect(queue.counts == (0, 0))
  }
}
