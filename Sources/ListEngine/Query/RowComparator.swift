/// The order of rows that a query asks for: its terms, then the source's own order, so that no two rows tie.
struct RowComparator {
  struct Term {
    var column: ColumnStore
    var isDescending: Bool
  }

  // The first term lies beside the others, so that the common query counts no references.
  private let first: Term?
  private let rest: [Term]
  private let hasMore: Bool
  private let labels: Chunked<UInt64>
  /// Whether a column has a collation.
  let isCollated: Bool

  init(_ query: Query, table: Table) {
    let terms = query.sort.map { Term(column: table.columns[$0.column], isDescending: $0.isDescending) }
    first = terms.first
    rest = Array(terms.dropFirst())
    hasMore = !rest.isEmpty
    labels = table.labels
    isCollated = terms.contains { $0.column.pool?.collation != nil }
  }

  /// How many sort keys were made for its columns so far.
  var collationKeysMade: Int {
    rest.reduce(first?.column.collationKeysMade ?? 0) { $0 + $1.column.collationKeysMade }
  }

  /// Has the sort keys made that comparing this row needs.
  func makeCollationKeys(_ slot: UInt32) {
    if let first { _ = first.column.sortKey(slot, descending: false) }
    for term in rest { _ = term.column.sortKey(slot, descending: false) }
  }

  /// A number that orders as the rows do, as far as it goes: rows with equal keys are told apart by ``precedes(_:_:)``.
  @inline(__always) func key(_ slot: UInt32) -> UInt64 {
    guard let first else { return labels[slot] }
    return first.column.sortKey(slot, descending: first.isDescending)
  }

  /// Whether row `a` comes before row `b`.
  @inline(__always) func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    if let first {
      let order = first.column.compare(a, b, descending: first.isDescending)
      if order != 0 { return order < 0 }
    }
    return hasMore ? precedesByRest(a, b) : labels[a] < labels[b]
  }

  private func precedesByRest(_ a: UInt32, _ b: UInt32) -> Bool {
    for term in rest {
      let order = term.column.compare(a, b, descending: term.isDescending)
      if order != 0 { return order < 0 }
    }
    return labels[a] < labels[b]
  }
}

/// Squeezes 64-bit sort keys into 32 bits without changing their order, so that a view's order takes half the memory.
///
/// Chosen from the keys at hand; keys that come later and lie outside are clamped, and what falls together is told apart by
/// the comparator.
struct KeyCompressor {
  private var least: UInt64 = 0
  private var shift: UInt64 = 32

  /// The widest: for keys not yet known.
  init() {}

  /// For keys from `least` to `greatest`. Some room is left at both ends for keys to come.
  init(least: UInt64, greatest: UInt64) {
    guard least < greatest else {
      self.least = least > 1 << 31 ? least - 1 << 31 : 0
      shift = 0
      return
    }
    let range = greatest - least
    let room = range / 4
    self.least = least > room ? least - room : 0
    let span = range.addingReportingOverflow(room &* 2)
    let wide = span.overflow ? UInt64.max : span.partialValue
    shift = UInt64(max(0, 32 - wide.leadingZeroBitCount))
  }

  @inline(__always) func compress(_ key: UInt64) -> UInt32 {
    guard key > least else { return 0 }
    return UInt32(clamping: (key - least) >> shift)
  }
}
