import ListTesting
import Testing

@testable import ListEngine

/// A view that catches up in slices, and its contents while it is built.
@Suite struct SlicesTests {
  private let table = Table(
    Schema(name: "numbers", key: .integer, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)

  private func update(_ keys: some Sequence<Int>, _ value: (Int) -> Int) {
    var changes = Changeset()
    for key in keys { changes.upsert(.integer(Int64(key)), [.integer(Int64(value(key)))]) }
    table.apply(changes)
  }

  @Test func `rows stay sorted when changes are applied in slices`() {
    // Texts with a common prefix are compared in place, so a changed row breaks the order.
    func text(_ number: Int) -> Cell { .text("a long beginning, then \(number + 10_000)") }
    for seed: UInt64 in 1...40 {
      var random = SeededGenerator(seed: seed)
      let table = Table(
        Schema(name: "texts", key: .integer, columns: [Column("a", .text)]), limits: Limits(), seed: seed)
      func update(_ keys: some Sequence<Int>) {
        var changes = Changeset()
        for key in keys { changes.upsert(.integer(Int64(key)), [text(random.number(0...1000))]) }
        table.apply(changes)
      }
      update(0..<200)
      let view = ListView(Query(sort: [SortTerm(0)]), table: table)
      for _ in 0..<10 {
        update((0..<60).map { _ in random.number(0...199) })
        while !view.catchUp(atMost: 7) {}
        let wanted = (0..<table.slots).compactMap { slot -> String? in
          if case .text(let text) = table.snapshot(slot).cells[0] { text } else { nil }
        }
        let shown = view.items(0..<view.itemCount).compactMap { item -> Cell? in
          if case .row(let slot) = item { table.snapshot(slot).cells[0] } else { nil }
        }
        #expect(shown == wanted.sorted().map { .text($0) }, "seed \(seed)")
      }
    }
  }

  @Test func `slices double in size after the first eight`() {
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
    // A row deleted or inserted counts one, and so do sixteen rows read together, which explains
    // the 17.
    #expect(sizes.dropLast() == [1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 17, 32, 64])
    #expect(sizes.reduce(0, +) == 201)
  }

  @Test(arguments: [4, 60, 1_000], [false, true])
  func `a view is in order after rows came, went and changed during its build`(stepRows: Int, isGrouped: Bool) {
    for seed: UInt64 in 1...8 {
      var random = SeededGenerator(seed: seed)
      var limits = Limits()
      limits.stepRows = stepRows
      let table = Table(
        Schema(name: "rows", key: .integer, columns: [Column("a", .number), Column("b", .text)]), limits: limits,
        seed: seed)
      func number() -> Cell {
        random.pick([
          .number(0), .number(-0.0), .null, .number(.infinity), .number(-.infinity), .number(.leastNonzeroMagnitude),
          .number(-.leastNonzeroMagnitude), .number(Double(random.number(-2_000...2_000)) / 7),
        ])
      }
      func upsert(_ keys: some Sequence<Int>) {
        var changes = Changeset()
        for key in keys { changes.upsert(.integer(Int64(key)), [number(), .text(random.pick(["x", "y", "yy"]))]) }
        table.apply(changes)
      }
      upsert(0..<1_500)
      let query = Query(sort: [SortTerm(0, descending: seed % 2 == 0)], group: isGrouped ? [1] : [])
      let view = ListView(query, table: table, atMost: 0)
      var turns = 0
      while view.build != nil {
        view.work()
        turns += 1
        guard turns % max(2, 400 / stepRows) == 0 else { continue }
        upsert([random.number(0...1_499), 1_500 + turns])
        var changes = Changeset()
        changes.delete(.integer(Int64(random.number(0...1_499))))
        table.apply(changes)
      }
      while !view.catchUp(atMost: 50) {}
      let shown = view.items(0..<view.itemCount).compactMap { if case .row(let slot) = $0 { slot } else { nil } }
      let order = RowComparator(Query(sort: (isGrouped ? [SortTerm(1)] : []) + query.sort), table: table)
      let wanted = (0..<table.slots).filter { table.isAlive($0) }.sorted { order.precedes($0, $1) }
      #expect(shown == wanted, "seed \(seed)")
      #expect(turns > 3)
    }
  }

  @Test func `selects the first items again after a row changes`() throws {
    var limits = Limits()
    limits.stepRows = 400
    let table = Table(table.schema, limits: limits, seed: 1)
    func update(_ keys: some Sequence<Int>, _ value: (Int) -> Int) {
      var changes = Changeset()
      for key in keys { changes.upsert(.integer(Int64(key)), [.integer(Int64(value(key)))]) }
      table.apply(changes)
    }
    update(0..<3000) { $0 }
    let view = ListView(Query(sort: [SortTerm(0, descending: true)]), table: table)
    while view.build?.canSelect == false { view.work() }
    let client = FoldedView(view, collapsed: [])
    func first() throws -> Cell? {
      _ = try #require(client.selectFirstItems())
      try #require(view.build != nil, "the order is ready")
      guard case .row(let slot) = client.items(0..<1).first else { return nil }
      return table.snapshot(slot).cells[0]
    }
    #expect(try first() == .integer(2999))
    update(5...5) { _ in 99_999 }
    #expect(try first() == .integer(99_999))
  }
}
