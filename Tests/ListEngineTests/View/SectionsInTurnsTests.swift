import Testing

@testable import ListEngine

/// A view with many sections is built, and its headers are resolved, some sections per step.
@Suite struct SectionsInTurnsTests {
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [Column("outer", .integer), Column("inner", .text), Column("value", .integer)])
  /// The rows per step.
  ///
  /// A section counts as 64 rows when it is created, and as 256 when its header is updated.
  private static let stepRows = 6_400
  private static let sectionsOfAStep = 100
  private static let headersOfAStep = 25

  /// Returns a table of twenty sections with a hundred subsections each, of three rows each.
  private func table() -> Table {
    var limits = Limits()
    limits.stepRows = Self.stepRows
    let table = Table(Self.schema, limits: limits, seed: 1)
    var changes = Changeset()
    for key in 0..<6_000 as Range<Int64> {
      changes.upsert(.integer(key), [.integer(key % 20), .text("inner \(key / 20 % 100)"), .integer(key)])
    }
    table.apply(changes)
    return table
  }

  private func view(_ table: Table) -> ListView {
    var query = Query(group: [0, 1])
    query.aggregates = [Aggregate(.sum, of: 2)]
    return ListView(query, table: table)
  }

  @Test func `a step announces at most 25 headers, and each header once`() {
    let view = view(table())
    var most = 0
    while view.build != nil {
      let before = view.announcements
      view.work()
      most = max(most, view.announcements - before)
    }
    // Every header is announced once, and none again when the view is complete.
    #expect(view.announcements == 2_020)
    #expect(most == Self.headersOfAStep)
  }

  @Test func `a step creates at most 84 sections over its limit of 100`() {
    let view = view(table())
    var most = 0
    while view.build?.canSelect == false {
      let before = view.structure
      view.work()
      most = max(most, view.structure - before)
    }
    // A step ends with the 64 rows that created the last section. The first row of an outer section
    // creates two.
    #expect((Self.sectionsOfAStep...Self.sectionsOfAStep + 64 + 20).contains(most))
  }

  @Test func `headers have the counts and aggregates of their sections`() {
    let view = view(table())
    while view.build != nil { view.work() }
    let outer = view.section(at: [.integer(7)])
    #expect(outer?.announcedCount == 300)
    #expect(outer?.aggregates == [.integer(300 * 7 + 20 * 44_850)])
    let inner = view.section(at: [.integer(7), .text("inner 3")])
    #expect(inner?.announcedCount == 3)
    #expect(inner?.aggregates == [.integer(67 + 2_067 + 4_067)])
    #expect(view.totals == [.integer(6_000 * 5_999 / 2)])
  }

  @Test func `a section whose rows are deleted during the build is dropped`() {
    let table = table()
    let view = view(table)
    while view.build?.canSelect == false { view.work() }
    var changes = Changeset()
    for number in 0..<3 as Range<Int64> { changes.delete(.integer(67 + 2_000 * number)) }
    changes.upsert(.integer(87), [.integer(99), .null, .integer(1)])
    table.apply(changes)
    // A viewport selection meets a section that the build does not know of.
    _ = view.build?.select([])
    var gone = Changeset()
    gone.delete(.integer(87))
    table.apply(gone)
    while view.build != nil { view.work() }
    view.catchUp()
    #expect(view.section(at: [.integer(7), .text("inner 3")]) == nil)
    #expect(view.section(at: [.integer(99)]) == nil)
    #expect(view.section(at: [.integer(7)])?.announcedCount == 296)
    #expect(view.rowCount == 5_996)
  }
}
