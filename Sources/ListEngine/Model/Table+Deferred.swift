extension Table {
  /// Returns the slot of the row with this key.
  func slot(of key: RowKey) -> UInt32? {
    switch key {
    case .integer(let value): return schema.key == .integer ? keys.slot(of: .integer(value)) : nil
    case .text(var value):
      return schema.key == .text ? value.withUTF8 { keys.slot(of: .text(UnsafeRawBufferPointer($0))) } : nil
    }
  }

  /// Stores a deferred cell's value.
  ///
  /// Returns the reason if the value is invalid; it counts as a rejected row.
  func load(_ key: RowKey, _ column: Int, _ cell: Cell) -> String? {
    var changes = Changeset()
    var cells = [Cell?](repeating: nil, count: givenColumns)
    cells[column] = cell
    changes.update(key, cells)
    let before = rejected
    apply(changes)
    return rejected == before ? nil : lastRejection
  }

  /// Marks a deferred cell as failed and returns whether this is a visible change.
  func fail(_ slot: UInt32, _ column: Int, _ reason: String) -> Bool {
    guard let deferred, !deferred.isThere(slot, column), deferred.fail(slot, column, reason) else { return false }
    noteChange(slot, columns: 0)
    return true
  }

  /// Discards a deferred cell's value or failure and returns whether this is a visible change.
  func forget(_ slot: UInt32, _ column: Int) -> Bool {
    guard let deferred, deferred.forget(slot, column) else { return false }
    columns[column].clear(slot)
    noteChange(slot, columns: 1 << UInt64(column & 63))
    return true
  }
}
