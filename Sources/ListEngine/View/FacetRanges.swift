/// The rows of a column of numbers or times by the ranges of a ``FacetScale``.
///
/// The scale stays until the data have outgrown it: if an eighth of the rows are beyond its edges,
/// or seven eighths in one range, and enough rows have changed since the last choice.
final class FacetRanges {
  let scale: FacetScale
  /// The number of rows of each range; see ``FacetScale/range(of:)``.
  private var rows: [Int]
  /// The rows added since the scale was chosen or confirmed.
  private var added = 0

  /// The number of values from which a scale is chosen.
  static var sampleSize: Int { 4_096 }

  init(_ scale: FacetScale) {
    self.scale = scale
    rows = Array(repeating: 0, count: scale.edges.count + 1)
  }

  /// Adds the value with this sort key, and returns its range.
  ///
  /// - Complexity: O(log edges).
  func add(_ key: UInt64) -> UInt32 {
    let range = scale.range(of: key)
    rows[range] += 1
    added += 1
    return UInt32(range)
  }

  /// Removes a value that was added to this range.
  func remove(_ range: UInt32) { rows[Int(range)] -= 1 }

  /// Whether there is one range only, because there were no values when the scale was chosen.
  var isWhole: Bool { scale.edges.isEmpty }

  /// Whether another scale may suit the rows better.
  var isOutgrown: Bool {
    let count = self.count
    guard count > 0, isWhole || added >= max(16, count / 4) else { return false }
    guard !isWhole else { return true }
    return (rows[0] + rows[rows.count - 1]) * 8 > count || (rows.max() ?? 0) * 8 > count * 7
  }

  /// Records that the scale is still the best one.
  func confirm() { added = 0 }

  /// The rows by range.
  var parts: FacetCounts.Parts { .ranges(edges: scale.edges, rows: rows) }
  /// The number of rows of all ranges.
  var count: Int { rows.reduce(0, +) }

  /// Returns a sample of the sort keys of a column, from rows at equal distances.
  ///
  /// - Complexity: O(``sampleSize``).
  static func sample(of column: ColumnStore, in table: Table) -> [UInt64] {
    let distance = max(1, Int(table.slots) / sampleSize)
    return stride(from: 0, to: Int(table.slots), by: distance).compactMap {
      let slot = UInt32($0)
      return table.isAlive(slot) && !column.isNull(slot) ? column.sortKey(slot, descending: false) : nil
    }
  }
}
