import ListTesting
import Testing

@testable import ListEngine

/// A view that catches up with its table a little at a time.
@Suite struct SlicesTests {
  private let table = Table(
    Schema(name: "numbers", key: .integer, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)

  private func update(_ keys: some Sequence<Int>, _ value: (Int) -> Int) {
    var changes = Changeset()
    for key in keys { changes.upsert(.integer(Int64(key)), [.integer(Int64(value(key)))]) }
    table.apply(changes)
  }

  private func values(_ view: ListView) -> [Cell] {
    view.items(0..<view.itemCount).compactMap {
      if case .row(let slot) = $0 { table.snapshot(slot).cells[0] } else { nil }
    }
  }

  @Test func noRowIsPutInBeforeAllThatChangedAreOut() {
    for seed: UInt64 in 1...40 {
      var random = SeededGenerator(seed: seed)
      update(0..<200) { _ in random.number(0...1000) }
      let view = ListView(Query(sort: [SortTerm(0)]), table: table)
      for _ in 0..<10 {
        update((0..<60).map { _ in random.number(0...199) }) { _ in random.number(0...1000) }
        while !view.catchUp(atMost: 7) {}
        let wanted = (0..<table.slots).map { table.snapshot($0).cells[0] }
          .compactMap { if case .integer(let value) = $0 { value } else { nil } }.sorted()
        #expect(values(view) == wanted.map { .integer($0) }, "seed \(seed)")
      }
    }
  }

  @Test func afterEightSlicesEachIsTwiceAsLargeAsTheLast() {
    update(0..<100) { $0 }
    let view = ListView(Query(sort: [SortTerm(0)]), table: table)
    update(0..<100) { -$0 }
    var sizes: [Int] = []
    while sizes.count < 100 {
      let before = view.workDone
      let isDone = view.catchUp(atMost: 1)
      sizes.append(view.workDone - before)
      if isDone { break }
    }
    // A row that is taken out or put in counts one, and so do sixteen that are read at a time: the one beyond is such.
    #expect(sizes.dropLast() == [1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 17, 32, 64])
    #expect(sizes.reduce(0, +) == 201)
  }
}
