import Testing

@testable import ListEngine

/// The rows of a table are gathered block by block while the table changes.
@Suite struct GatheringTests {
  private static let schema = Schema(
    name: "t", key: .integer, columns: [Column("text", .text), Column("value", .integer)])

  /// Returns a table of rows in pairs with the same text, whose steps gather 64 rows.
  private func table(pairs: Int) -> Table {
    var limits = Limits()
    limits.stepRows = 64
    let table = Table(Self.schema, limits: limits, seed: 1)
    var changes = Changeset()
    for key in 0..<Int64(2 * pairs) {
      changes.upsert(.integer(key), [.text("text \(key / 2)"), .integer(-key)])
    }
    table.apply(changes)
    return table
  }

  private func rows(_ view: ListView) -> [Int64] {
    while view.build != nil { view.work() }
    _ = view.catchUp(atMost: .max)
    var rows: [Int64] = []
    view.root.order.forEach(from: 0, count: .max) { slot in
      if case .integer(let value) = view.table.columns[1].cell(slot) { rows.append(-value) }
    }
    return rows
  }

  @Test func `rows deleted before the build are not gathered`() {
    let table = table(pairs: 200)
    var changes = Changeset()
    for key in [0, 63, 64, 200, 399] as [Int64] { changes.delete(.integer(key)) }
    table.apply(changes)
    let view = ListView(Query(sort: [SortTerm(1, descending: true)]), table: table)
    #expect(rows(view) == (0..<400).filter { ![0, 63, 64, 200, 399].contains($0) })
  }

  @Test func `rows deleted during the build are not gathered`() {
    let table = table(pairs: 200)
    let view = ListView(Query(sort: [SortTerm(1, descending: true)]), table: table)
    view.work()
    var changes = Changeset()
    for key in [0, 130, 399] as [Int64] { changes.delete(.integer(key)) }
    changes.upsert(.integer(400), [.null, .integer(-400)])
    table.apply(changes)
    #expect(view.build?.isGathering == true)
    #expect(rows(view) == (0...400).filter { ![0, 130, 399].contains($0) })
  }

  @Test func `rows with the last of many texts share a section`() {
    let table = table(pairs: 6_000)
    var changes = Changeset()
    // Their number is beyond the memory that a step prepares for the first rows.
    for key in [0, 1, 5, 11_999] as [Int64] { changes.update(.integer(key), [.text("text zzz"), nil]) }
    table.apply(changes)
    let view = ListView(Query(group: [0]), table: table)
    while view.build != nil { view.work() }
    #expect(view.section(at: [.text("text zzz")])?.rows == 4)
    #expect(view.section(at: [.text("text 2")])?.rows == 1)
    #expect(view.rowCount == 12_000)
  }

  @Test func `rows with the last of many texts are in order`() {
    let table = table(pairs: 6_000)
    var changes = Changeset()
    for key in [0, 1, 5] as [Int64] { changes.update(.integer(key), [.text("a"), nil]) }
    table.apply(changes)
    let view = ListView(Query(sort: [SortTerm(0)]), table: table)
    #expect(Array(rows(view).prefix(4)) == [0, 1, 5, 2])
  }
}
