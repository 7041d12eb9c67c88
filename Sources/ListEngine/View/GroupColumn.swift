/// A column by whose values, or ranges of values, a view groups its rows.
struct GroupColumn {
  private let store: ColumnStore
  private let ranges: ValueRanges?

  init(_ grouping: Grouping, of table: Table) {
    store = table.columns[grouping.column]
    ranges = grouping.ranges
  }

  /// The type of the sections' values.
  var type: ColumnType { store.type }
  /// Whether sections have ranges of values.
  var hasRanges: Bool { ranges != nil }

  /// Returns the value of the section that a row belongs to.
  @inline(__always) func section(of slot: UInt32) -> Cell {
    let cell = store.cell(slot)
    return ranges?.lowerBound(of: cell) ?? cell
  }

  /// The numbers of texts by slot, if all rows of a section share one; see
  /// ``ColumnStore/sharedTexts``.
  @inline(__always) var sharedTexts: Chunked<UInt32>? { store.sharedTexts }

  /// Returns the collation key of a row's section.
  func collationKey(_ slot: UInt32) -> [UInt8] { store.collationKey(slot) }

  /// Returns the collation key of a section's value.
  func collationKey(of value: Cell) -> [UInt8] { store.collationKey(of: value) }
}
