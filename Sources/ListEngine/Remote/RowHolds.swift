/// Reference counts of rows in the blocks of windowed views; a row without references is deleted.
final class RowHolds {
  private let table: Table
  private var counts: [UInt32: Int] = [:]

  init(_ table: Table) { self.table = table }

  /// Increments the counts of these rows.
  func hold(_ slots: [UInt32]) { for slot in slots { counts[slot, default: 0] += 1 } }

  /// Decrements the counts of these rows and deletes rows without references.
  ///
  /// - Precondition: The rows are held.
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

  /// Checks that exactly the held rows are in the table.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      precondition(counts.count == table.count, "\(counts.count) rows are held, \(table.count) are there")
      for slot in counts.keys { precondition(table.isAlive(slot), "row \(slot) is held and gone") }
    #endif
  }
}

extension Table {
  /// Creates an empty table for rows of the same kind.
  func another(_ schema: Schema, ids: RowIDOrigin) -> Table {
    Table(schema, limits: limits, seed: seed, collators: collators, ids: ids, wall: wall)
  }

  /// Stores rows of a windowed source.
  ///
  /// Returns the slot of each row in order, and the approximate total size in bytes.
  func keep(_ rows: [(key: RowKey, cells: [Cell])]) -> (slots: [UInt32], bytes: Int) {
    var changes = Changeset()
    // Compare keys bytewise: `String` equality would merge canonically equivalent keys.
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
      isFirst ? slot(of: row.key) ?? CachedBlock.rejected : CachedBlock.rejected
    }
    return (slots, changes.byteCount)
  }
}
