/// The engine's name for one thing that it asked a windowed source; never used again.
public struct PageRequestID: Hashable, Codable, Sendable {
  /// The number itself.
  public let rawValue: UInt64
  /// The request with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A place between two rows in the order of one query, as its source writes it: the values of the row before it, say. The engine never
/// looks into it. It stays good when rows come and go, those on both its sides too.
public struct PageCursor: Hashable, Codable, Sendable {
  /// What the source wrote; at most ``Limits/cursorBytes``.
  public var text: ExactText
  /// This place.
  public init(_ text: String) { self.text = ExactText(text) }
}

/// What the engine asks of a windowed source.
public struct PageRequest: Hashable, Sendable {
  /// What is asked for.
  public enum What: Hashable, Sendable {
    /// All sections of ``PageRequest/query``, and how many rows each has; at most so many. Answered with ``Input/sections(_:_:_:)``.
    case sections(limit: Int)
    /// Rows: those from `after` (the beginning when `nil`) through `upTo` (the end when `nil`), without the first `skip`; at most `count`
    /// of them. Answered with ``Input/page(_:_:_:)``. Only a source with ``WindowedCapabilities/Paging/offset`` or
    /// ``WindowedCapabilities/Paging/keysetAndOffset`` is told to skip, and only one with cursors gets to see any.
    case rows(after: PageCursor?, upTo: PageCursor?, skip: Int, count: Int)
  }

  /// Comes back with the answer.
  public var id: PageRequestID
  /// Which rows, and in which order; nothing that the source cannot do. It never has aggregates.
  public var query: Query
  /// Only rows of the section with these values, from the outermost section's to its own; all rows when empty.
  public var section: [Cell]
  /// What is asked for.
  public var what: What
}

/// Rows that a windowed source gives.
public struct RowPage: Sendable {
  /// A row as a source gives it.
  public typealias Row = (key: RowKey, cells: [Cell])

  /// The rows in the order of the query. No key may stand among them twice.
  public var rows: [(key: RowKey, cells: [Cell])]
  /// Whether further rows follow between the last of them and `upTo`. A page with fewer rows than were asked for must be the last one,
  /// unless a source with cursors says where it goes on.
  public var hasMore: Bool
  /// How many rows the query (or the section that was asked for) has, as well as the source knows; `nil` when it says nothing now.
  public var count: Int?
  /// Where the first row begins: needed from a source with cursors when it was told to skip rows.
  public var begin: PageCursor?
  /// Where the last row ends: needed from a source with cursors when more rows follow.
  public var end: PageCursor?

  /// These rows.
  public init(
    _ rows: [(key: RowKey, cells: [Cell])], hasMore: Bool, count: Int? = nil, begin: PageCursor? = nil,
    end: PageCursor? = nil
  ) {
    self.rows = rows
    self.hasMore = hasMore
    self.count = count
    self.begin = begin
    self.end = end
  }
}

/// A section that a windowed source has.
public struct SectionCount: Hashable, Codable, Sendable {
  /// Its values, one for each column of the query's `group`.
  public var values: [Cell]
  /// How many rows it has.
  public var count: Int

  /// This section.
  public init(_ values: [Cell], count: Int) {
    self.values = values
    self.count = count
  }
}
