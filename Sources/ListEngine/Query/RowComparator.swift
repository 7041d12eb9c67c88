/// The total order of a query: its sort terms, then the source's order.
struct RowComparator {
  struct Term {
    var column: ColumnStore
    var isDescending: Bool
  }

  // The first term is stored separately, so that common queries avoid reference counting.
  private let first: Term?
  private let rest: [Term]
  private let hasMore: Bool
  private let labels: Chunked<UInt64>
  /// Whether a sort column has a collation.
  let isCollated: Bool

  init(_ query: Query, table: Table) {
    let terms = query.sort.map { Term(column: table.columns[$0.column], isDescending: $0.isDescending) }
    first = terms.first
    rest = Array(terms.dropFirst())
    hasMore = !rest.isEmpty
    labels = table.labels
    isCollated = terms.contains { $0.column.pool?.collation != nil }
  }

  /// The number of sort terms.
  var termCount: Int { first == nil ? 0 : rest.count + 1 }

  /// Returns the sort term with this index, or `nil` if the source's order decides.
  func term(_ index: Int) -> Term? { index == 0 ? first : index <= rest.count ? rest[index - 1] : nil }

  /// Returns the place of a row in the source's order, or 0 for a free slot.
  @inline(__always) func label(_ slot: UInt32) -> UInt64 { labels[slot] }

  /// The number of collation keys made for the sort columns so far.
  var collationKeysMade: Int {
    rest.reduce(first?.column.collationKeysMade ?? 0) { $0 + $1.column.collationKeysMade }
  }

  /// Makes the collation keys needed to compare this row.
  func makeCollationKeys(_ slot: UInt32) {
    if let first { _ = first.column.sortKey(slot, descending: false) }
    for term in rest { _ = term.column.sortKey(slot, descending: false) }
  }

  /// Returns a key that sorts like the rows; rows with equal keys are compared by
  /// ``precedes(_:_:)``.
  @inline(__always) func key(_ slot: UInt32) -> UInt64 {
    guard let first else { return labels[slot] }
    return first.column.sortKey(slot, descending: first.isDescending)
  }

  /// Returns whether row `a` precedes row `b`.
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

/// An order-preserving compression of sort keys from 64 to 32 bits, which halves the memory of an
/// order.
///
/// It is chosen for the range of the keys at hand. Later keys outside the range are clamped; the
/// comparator decides between keys that become equal.
struct KeyCompressor {
  private var least: UInt64 = 0
  private var shift: UInt64 = 32

  /// Creates the compression for unknown keys, which covers all 64 bits.
  init() {}

  /// Creates a compression for keys in a range, with some room at both ends for later keys.
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
