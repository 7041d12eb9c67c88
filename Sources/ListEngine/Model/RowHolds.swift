/// Counts in how many pages of windowed views each row lies, and lets a row go when it lies in none.
final class RowHolds {
  private let table: Table
  private var counts: [UInt32: Int] = [:]

  init(_ table: Table) { self.table = table }

  /// These rows lie in one page more.
  func hold(_ slots: [UInt32]) { for slot in slots { counts[slot, default: 0] += 1 } }

  /// These rows lie in one page less.
  ///
  /// - Precondition: They are held.
  func release(_ slots: [UInt32]) {
    var isLetGo = false
    for slot in slots {
      guard let count = counts[slot] else { preconditionFailure("row \(slot) is released and not held") }
      if count > 1 {
        counts[slot] = count - 1
      } else {
        counts[slot] = nil
        if !isLetGo { table.apply(Changeset()) }
        isLetGo = true
        table.remove(slot)
      }
    }
    checkInvariants()
  }

  /// A row is in the table as long as it is held.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      precondition(counts.count == table.count, "\(counts.count) rows are held, \(table.count) are there")
      for slot in counts.keys { precondition(table.isAlive(slot), "row \(slot) is held and gone") }
    #endif
  }
}

extension Table {
  /// An empty table of its own for rows like these, in the order that this one has them in.
  func another(_ schema: Schema, ids: RowIDOrigin) -> Table {
    Table(schema, limits: limits, seed: seed, collators: collators, ids: ids)
  }

  /// Takes rows of a windowed source in. The result is where each is now, in order, and about how many bytes they take.
  func keep(_ rows: [(key: RowKey, cells: [Cell])]) -> (slots: [UInt32], bytes: Int) {
    var changes = Changeset()
    // Two spellings of one text are two keys.
    var named: Set<ExactText> = []
    var isFirst: [Bool] = []
    for (key, cells) in rows {
      isFirst.append(named.insert(ExactText(key.description)).inserted)
      if isFirst[isFirst.count - 1] {
        changes.upsert(key, cells)
      } else {
        changes.reject(key, "its key is named twice in a page")
      }
    }
    apply(changes)
    let slots = zip(rows, isFirst).map { row, isFirst in
      isFirst ? slot(of: row.key) ?? KeptPage.rejected : KeptPage.rejected
    }
    return (slots, changes.byteCount)
  }
}
