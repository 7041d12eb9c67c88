/// A row of a windowed view that its source has not given: a page draws a placeholder for it.
struct AbsentRow: Hashable {
  /// Names the place and what is shown there, not the row: another place or reason has another id.
  let id: RowID
  let why: Missing
  /// What is to be loaded so that the row is there; `nil` when the source was asked and did not give it.
  let item: PageItem?

  /// - Parameter failure: Tells failures apart whose reasons differ.
  init(at position: Int, _ why: Missing, failure: Int = 0, item: PageItem?) {
    let number: UInt32 =
      switch why {
      case .pending: UInt32(truncatingIfNeeded: position) & 0x7FFF_FFFF
      // Two windows never lie 2^16 positions apart and hold the same place.
      case .failed:
        1 << 31 | (UInt32(truncatingIfNeeded: position) & 0xFFFF) << 15 | UInt32(truncatingIfNeeded: failure) & 0x7FFF
      }
    id = RowID(rawValue: UInt64(Table.generationOfAbsent) << 32 | UInt64(number))
    self.why = why
    self.item = item
  }
}

/// What a windowed source can be asked for, as the ``PrefetchQueue`` knows it.
struct PageItem: Hashable {
  enum Place: Hashable {
    /// Which sections there are.
    case sections
    /// The page of a grid of ``Limits/pageRows`` rows.
    case grid(Int)
    /// A part of what lies between two cursors: without the first `part` times ``Limits/pageRows`` rows.
    case segment(Int, part: Int)
    /// The next rows of those that are all loaded.
    case next(Int)
  }

  /// The number of the ``WindowedView`` or ``ResidualQuery``.
  var view: Int
  /// Counts how often everything was asked for anew: an answer to an older question is not taken for one to this.
  var generation: Int
  /// The section's place among those with rows.
  var leaf = 0
  var place: Place

  /// The same for all parts of a segment.
  var whole: PageItem {
    guard case .segment(let number, _) = place else { return self }
    var whole = self
    whole.place = .segment(number, part: 0)
    return whole
  }
}
