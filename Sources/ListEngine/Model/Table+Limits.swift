extension Table {
  /// What every row weighs, whatever its texts; see ``TableLimits``.
  static func fixedWeight(_ schema: Schema) -> Int { 32 + 8 * schema.columns.count + (schema.key == .integer ? 8 : 0) }

  /// How many bytes its rows weigh; see ``TableLimits``.
  ///
  /// - Complexity: O(1).
  var bytes: Int { count * rowWeight + texts.count }

  /// What a row weighs.
  ///
  /// - Complexity: O(columns).
  func weight(of slot: UInt32) -> Int {
    columns.reduce(rowWeight + keys.textBytes(slot)) { $0 + $1.textBytes(slot) }
  }

  /// What a row weighs when it has taken these cells.
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

  /// Why a row of this weight cannot be beside so many others that weigh so much, or `nil`.
  @inline(__always) func objection(toWeight weight: Int, besides rows: Int, _ bytes: Int) -> String? {
    if rows >= rowLimit { return "the table has its limit of \(rowLimit) rows" }
    guard weight > byteLimit - bytes else { return nil }
    return "it has \(weight) bytes, and the table \(bytes) of its limit of \(byteLimit) bytes"
  }

  /// Why a row that is there cannot take these cells, or `nil`. It is not named by a list that is being loaded again.
  @inline(__always) func objection(
    toGrowthOf slot: UInt32, taking cells: UnsafeBufferPointer<Changeset.PackedCell>, textBytes: Int, isWhole: Bool
  ) -> String? {
    // Far from the limit, as mostly, nothing is weighed.
    guard textBytes > byteLimit - bytes else { return nil }
    var (rows, others) = (count, bytes)
    if let reload {
      // What the list has named, and what it has not, are bounded each for itself: the one or the other remains.
      let isNamed = !reload.isFirst(slot)
      (rows, others) = isNamed ? (reload.rows, reload.bytes) : (rows - reload.rows, others - reload.bytes)
    }
    return objection(
      toWeight: weight(of: slot, taking: cells, isWhole: isWhole), besides: rows - 1, others - weight(of: slot))
  }
}
