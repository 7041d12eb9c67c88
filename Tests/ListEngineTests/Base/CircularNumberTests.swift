import ListTesting
import Testing

@testable import ListEngine

/// A server may assign more than 2^32 numbers to sections and header slots while it runs.
@Suite struct CircularNumberTests {
  @Test func `numbers wrap around and skip those in use`() {
    var numbers = CircularNumber(from: .max - 1)
    let taken = (0..<5).map { _ in numbers.take { [UInt32.max, 0, 2].contains($0) } }
    #expect(taken == [.max - 1, 1, 3, 4, 5])
  }

  @Test func `header slots wrap around`() {
    var pool = HeaderPool(capacity: 1, firstSlot: .max)
    #expect((1...3).map { pool.dequeue("inPlace", for: $0) } == [.max, 0, 1])
  }

  @Test(arguments: [UInt32.max, UInt32.max - 1, UInt32.max - 5]) func `sections of a view wrap around`(_ first: UInt32)
  {
    let table = Table(Schema(name: "t", key: .integer, columns: [Column("group", .text)]), limits: Limits(), seed: 1)
    let view = ListView(Query(group: [0]), table: table)
    view.sectionNumbers = CircularNumber(from: first)
    for round: Int64 in 0..<20 {
      var changes = Changeset()
      for key: Int64 in 0..<10 { changes.upsert(.integer(key), [.text("\((round + key) % 25)")]) }
      table.apply(changes)
      view.catchUp()
    }
    let numbers = view.items(0..<view.itemCount).compactMap {
      if case .header(let section) = $0 { section.number } else { nil }
    }
    #expect(Set(numbers).count == 10 && !numbers.contains(0))
    #expect(numbers.allSatisfy { view.section(numbered: $0) != nil })
  }

  @Test func `sections of a windowed view wrap around`() throws {
    let harness = try WindowedHarness()
    for key in 0..<20 { harness.upsert(key, group: "g\(key)") }
    harness.open(query: QueryRequest(group: ["group"]), count: 40)
    try harness.settle()
    let view = try #require(harness.engine.states[0].sessions.first?.view as? WindowedView)
    view.sectionNumbers = CircularNumber(from: .max - 3)
    for key in 0..<20 { harness.upsert(key, group: "h\(key)") }
    harness.change()
    try harness.settle()
    #expect(harness.lines().count { $0.hasPrefix("h") } == 20)
  }
}
