/// The engine's identifier of a request to a windowed source, never reused.
public struct BlockRequestID: Hashable, Codable, Sendable {
  /// The identifier's number.
  public let rawValue: UInt64
  /// Creates the identifier with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A position between two rows in the order of one query, encoded by the source, for example as the
/// values of the preceding row.
///
/// The engine treats it as opaque. It must stay valid when rows are inserted or deleted, including
/// its neighbors.
public struct BlockCursor: Hashable, Codable, Sendable {
  /// The source's encoding, of at most ``Limits/cursorBytes`` bytes.
  public var text: ExactText
  /// Creates a cursor.
  public init(_ text: String) { self.text = ExactText(text) }
}

/// A request to a windowed source.
public struct BlockRequest: Hashable, Sendable {
  /// The kinds of request.
  public enum What: Hashable, Sendable {
    /// All sections of ``BlockRequest/query`` with their row counts, at most `limit`.
    ///
    /// Answered by ``Input/sections(_:_:_:)``.
    case sections(limit: Int)
    /// At most `count` rows from `after` (`nil`: the beginning) through `upTo` (`nil`: the end),
    /// without the first `skip`.
    ///
    /// Answered by ``Input/page(_:_:_:)``.
    ///
    /// Only sources with ``WindowedCapabilities/Paging/offset`` or
    /// ``WindowedCapabilities/Paging/keysetAndOffset`` receive a nonzero `skip`. Only sources with
    /// cursors receive cursors.
    case rows(after: BlockCursor?, upTo: BlockCursor?, skip: Int, count: Int)
  }

  /// The identifier that the answer repeats.
  public var id: BlockRequestID
  /// The rows and their order, limited to what the source supports, without aggregates.
  public var query: Query
  /// The values of the section whose rows are requested, outermost first; empty for all rows.
  public var section: [Cell]
  /// The kind of request.
  public var what: What

  /// Creates a request.
  package init(id: BlockRequestID, query: Query, section: [Cell], what: What) {
    self.id = id
    self.query = query
    self.section = section
    self.what = what
  }
}

/// A block of rows returned by a windowed source.
public struct RowBlock: Sendable {
  /// A row as returned by a source.
  public typealias Row = (key: RowKey, cells: [Cell])

  /// The rows in query order, with unique keys.
  public var rows: [(key: RowKey, cells: [Cell])]
  /// Whether more rows follow before `upTo`.
  ///
  /// A block with fewer rows than requested must be the last one, unless a source with cursors sets
  /// ``end``.
  public var hasMore: Bool
  /// The source's best knowledge of the number of rows in the query or section, or `nil` if
  /// unknown.
  public var count: Int?
  /// Whether ``count`` is an estimate although the source's counts are exact otherwise.
  public var isCountEstimated: Bool
  /// The position before the first row, required from a source with cursors if the request skips
  /// rows.
  public var begin: BlockCursor?
  /// The position after the last row, required from a source with cursors if more rows follow.
  public var end: BlockCursor?

  /// Creates a block.
  public init(
    _ rows: [(key: RowKey, cells: [Cell])], hasMore: Bool, count: Int? = nil, isCountEstimated: Bool = false,
    begin: BlockCursor? = nil, end: BlockCursor? = nil
  ) {
    self.rows = rows
    self.hasMore = hasMore
    self.count = count
    self.isCountEstimated = isCountEstimated
    self.begin = begin
    self.end = end
  }

  /// Returns the accuracy of ``count`` for a source that declares one for its counts.
  func accuracy(of declared: CountAccuracy) -> CountAccuracy {
    isCountEstimated && declared == .exact ? .estimated : declared
  }
}

/// A section of a windowed source.
public struct SectionCount: Hashable, Codable, Sendable {
  /// The section's values, one per column of the query's `group`.
  public var values: [Cell]
  /// The number of rows.
  public var count: Int

  /// Creates a section.
  public init(_ values: [Cell], count: Int) {
    self.values = values
    self.count = count
  }
}
