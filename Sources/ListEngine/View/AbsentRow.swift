/// A row of a windowed view that is not loaded; clients draw a placeholder for it.
struct AbsentRow: Hashable {
  /// The id of the placeholder, derived from its position and reason rather than from a row.
  let id: RowID
  let why: Missing
  /// The block to load for the row, or `nil` if the source's answer lacked the row.
  let item: BlockItem?

  /// Creates a placeholder at a position.
  ///
  /// - Parameter failure: A number that differs between failures with different reasons.
  init(at position: Int, _ why: Missing, failure: Int = 0, item: BlockItem?) {
    let number: UInt32 =
      switch why {
      case .pending: UInt32(truncatingIfNeeded: position) & 0x7FFF_FFFF
      // No window spans 2^16 positions, so that the lower bits are unique within it.
      case .failed:
        1 << 31 | (UInt32(truncatingIfNeeded: position) & 0xFFFF) << 15 | UInt32(truncatingIfNeeded: failure) & 0x7FFF
      }
    id = RowID(rawValue: UInt64(Table.generationOfAbsent) << 32 | UInt64(number))
    self.why = why
    self.item = item
  }
}

/// A block or other part of a query that can be requested from a windowed source.
///
/// It is the item of the windowed ``PrefetchQueue``.
struct BlockItem: Hashable {
  enum Place: Hashable {
    /// The list of sections.
    case sections
    /// A block of a grid with ``Limits/pageRows`` rows per block.
    case grid(Int)
    /// A part of the rows between two cursors, after the first `part` times ``Limits/pageRows``
    /// rows.
    case segment(Int, part: Int)
    /// The next block when all rows are loaded in sequence.
    case next(Int)
  }

  /// The number of the ``WindowedView`` or ``ResidualTable``.
  var view: Int
  /// The number of reloads so far, so that an answer to an older request is not used for this one.
  var generation: Int
  /// The index of the section among those with rows.
  var leaf = 0
  var place: Place

  /// The item for the first part of the same segment; other items return themselves.
  var whole: BlockItem {
    guard case .segment(let number, _) = place else { return self }
    var whole = self
    whole.place = .segment(number, part: 0)
    return whole
  }
}
