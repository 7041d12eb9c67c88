import Testing

@testable import ListEngine

/// The memory of dropped views.
@Suite struct DiscardedViewsTests {
  private let table = Table(
    Schema(name: "numbers", key: .integer, columns: [Column("a", .integer), Column("b", .integer)]), limits: Limits(),
    seed: 1)

  /// Returns a view of 6,000 rows in 100 sections with 30 sections each.
  private func grouped() -> ListView {
    var changes = Changeset()
    for key in 0..<6_000 {
      changes.upsert(.integer(Int64(key)), [.integer(Int64(key % 100)), .integer(Int64(key % 3_000 / 100))])
    }
    table.apply(changes)
    let view = ListView(Query(group: [0, 1]), table: table)
    finish(view)
    return view
  }

  private func finish(_ view: ListView) {
    while view.build != nil { view.work() }
    while !view.catchUp(atMost: 10_000) {}
  }

  @Test func `a dropped view is freed a bounded number of sections at a time`() {
    var discarded = DiscardedViews()
    weak let view = discard(in: &discarded)
    var steps = 0
    while !discarded.isEmpty {
      discarded.free(atMost: 100)
      steps += 1
    }
    // 3,100 sections, 3,000 chunks, and the index of rows.
    #expect((62...64).contains(steps), "\(steps)")
    #expect(view == nil)
  }

  /// Adds a view to the discarded ones, and returns it.
  private func discard(in discarded: inout DiscardedViews) -> ListView {
    let view = grouped()
    discarded.add(view)
    return view
  }

  @Test func `each section of a discarded view is freed by itself`() {
    var discarded = DiscardedViews()
    weak let section = discard(in: &discarded).section(numbered: 50)
    #expect(section != nil)
    var steps = 0
    while section != nil, !discarded.isEmpty {
      discarded.free(atMost: 1)
      steps += 1
    }
    #expect(section == nil && !discarded.isEmpty, "freed after \(steps) steps")
  }

  @Test func `a dropped view that a session holds stays readable`() {
    var discarded = DiscardedViews()
    let view = grouped()
    discarded.add(view)
    discarded.free()
    #expect(discarded.isEmpty)
    #expect(view.itemCount == 9_100)
    #expect(view.items(0..<9_100).count == 9_100)
  }

  @Test func `a view set is due until its dropped views are freed`() {
    _ = grouped()
    var views = ViewSet(table)
    let query = Query(group: [0, 1])
    finish(views.enter(query))
    views.leave(query, at: .zero)
    let late = Instant.zero.advanced(by: UnusedViewLimits.time)
    #expect(views.deadline == late)
    views.tidy(at: late, keeping: nil)
    var turns = 0
    while views.deadline != nil {
      #expect(views.deadline == .zero)
      views.tidy(at: late, keeping: nil)
      turns += 1
    }
    #expect((5...7).contains(turns), "\(turns)")
  }
}
