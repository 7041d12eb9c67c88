import Testing

@testable import ListEngine

@Suite struct AbandonedReloadTests {
  private func cells(_ table: Table, _ key: RowKey) -> [Cell]? { table.slot(of: key).map { table.snapshot($0).cells } }

  @Test func `an abandoned reload deletes no rows, and another can begin`() {
    let table = Table(
      Schema(name: "t", key: .integer, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)
    func apply(_ change: (inout Changeset) -> Void) {
      var changes = Changeset()
      change(&changes)
      table.apply(changes)
    }
    apply { for key in 1...3 as ClosedRange<Int64> { $0.upsert(.integer(key), [.integer(key)]) } }
    apply {
      $0.beginsReload = true
      $0.upsert(.integer(2), [.integer(20)])
    }
    var abandoning = Changeset()
    abandoning.abandonsReload = true
    #expect(!abandoning.isEmpty)
    table.apply(abandoning)
    // A reload would reject a key named twice. No end of the reload deletes the other rows.
    apply { $0.upsert(.integer(2), [.integer(21)]) }
    apply { $0.endsReload = true }
    #expect(table.count == 3 && table.rejected == 0)
    #expect(cells(table, .integer(1)) == [.integer(1)] && cells(table, .integer(2)) == [.integer(21)])
    apply {
      $0.abandonsReload = true
      $0.beginsReload = true
      $0.upsert(.integer(3), [.integer(30)])
      $0.endsReload = true
    }
    #expect(table.count == 1, "abandoned first, then begun")
  }
}
