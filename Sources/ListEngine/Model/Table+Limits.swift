extension Table {
  /// Returns the weight of a row without texts; see ``TableLimits``.
  static func fixedWeight(_ schema: Schema) -> Int {
    32 + 8 * schema.givenColumnCount + (schema.key == .integer ? 8 : 0)
  }

  /// The weight of all rows in bytes; see ``TableLimits``.
  ///
  /// - Complexity: O(1).
  var bytes: Int { count * rowWeight + texts.count }

  /// Returns the weight of a row in bytes.
  ///
  /// - Complexity: O(columns).
  func weight(of slot: UInt32) -> Int {
    columns[..<givenColumns].reduce(rowWeight + keys.textBytes(slot)) { $0 + $1.textBytes(slot) }
  }

  /// Returns the weight that a row would have with these cells.
  ///
  /// - Complexity: O(columns).
  func weight(
    of slot: UInt32, taking cells: UnsafeBufferPointer<Changeset.PackedCell>, isWhole: Bool
  ) -> Int {
    var weight = weight(of: slot)
    for number in 0..<cells.count where columns[number].pool != nil && takes(cells[number], number, isWhole: isWhole) {
      weight += Int(cells[number].length) - columns[number].textBytes(slot)
    }
    return weight
  }

  /// Returns the reason why a row of this weight does not fit next to `rows` other rows of `bytes`
  /// in total, or `nil`.
  @inline(__always) func objection(toWeight weight: Int, besides rows: Int, _ bytes: Int) -> String? {
    if rows >= rowLimit { return "the table has its limit of \(rowLimit) rows" }
    guard weight > byteLimit - bytes else { return nil }
    return "it has \(weight) bytes, and the table \(bytes) of its limit of \(byteLimit) bytes"
  }

  /// Returns the reason why an existing row has no room for these cells, or `nil`.
  ///
  /// The row is not one that a reload is naming.
  @inline(__always) func objection(
    toGrowthOf slot: UInt32, taking cells: UnsafeBufferPointer<Changeset.PackedCell>, textBytes: Int, isWhole: Bool
  ) -> String? {
    // Usually the limit is far away and nothing needs to be weighed.
    guard textBytes > byteLimit - bytes else { return nil }
    var (rows, others) = (count, bytes)
    if let reload {
      // During a reload, named and unnamed rows are limited separately, because only one of the
      // groups remains.
      let isNamed = !reload.isFirst(slot)
      (rows, others) = isNamed ? (reload.rows, reload.bytes) : (rows - reload.rows, others - reload.bytes)
    }
    return objection(
      toWeight: weight(of: slot, taking: cells, isWhole: isWhole), besides: rows - 1, others - weight(of: slot))
  }

  /// Returns the reason why these cells are invalid, or `nil`.
  ///
  /// The check precedes any change, so that no row is half updated. `textBytes` grows by the size
  /// of the texts.
  @inline(__always) func objection(
    to cells: UnsafeBufferPointer<Changeset.PackedCell>, bytes: UnsafeRawBufferPointer, isUpdate: Bool,
    textBytes: inout Int
  ) -> String? {
    guard cells.count == givenColumns else { return "it has \(cells.count) cells for \(givenColumns) columns" }
    for (number, cell) in cells.enumerated() {
      if cell.kind == .unchanged {
        if isUpdate { continue }
        return "its cell “\(schema.columns[number].name)” is left out"
      }
      guard columns[number].accepts(cell.kind) else {
        return "its cell “\(schema.columns[number].name)” is \(cell.kind), not \(columns[number].type)"
      }
      guard cell.kind == .text || cell.kind == .image || cell.kind == .series else { continue }
      guard cell.length <= limits.cellBytes else {
        return "its cell “\(schema.columns[number].name)” has \(cell.length) bytes, more than \(limits.cellBytes)"
      }
      let text = UnsafeRawBufferPointer(rebasing: bytes[Int(cell.payload)..<Int(cell.payload) + Int(cell.length)])
      guard cell.kind == .series || isUTF8(text) else {
        return "its cell “\(schema.columns[number].name)” is not UTF-8"
      }
      textBytes += text.count
    }
    return nil
  }
}
