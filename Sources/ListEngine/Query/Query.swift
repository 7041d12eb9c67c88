/// A column to sort by.
public struct SortTerm: Hashable, Sendable {
  /// The index of the column in the schema.
  public var column: Int
  /// Whether the order is descending; nulls come last in both directions.
  public var isDescending: Bool

  /// Creates a sort term of a column.
  public init(_ column: Int, descending: Bool = false) {
    self.column = column
    self.isDescending = descending
  }
}

/// The rows of a table to show, and their order.
///
/// Sessions with equal queries share one ``ListView``.
public struct Query: Hashable, Sendable {
  /// The columns to sort by, most significant first; ties keep the source's order.
  public var sort: [SortTerm]
  /// A text that a row must contain in a text column, ignoring case; empty for all rows.
  public var search: String {
    get { exactSearch.string }
    set { exactSearch = ExactText(newValue) }
  }
  /// The search, compared by its bytes so that different spellings are different queries.
  private var exactSearch: ExactText
  /// The filter that rows must match, or `nil` for all rows.
  public var filter: Filter<Int>?
  /// The columns to group by into sections, outermost first, with their ranges.
  public var groupings: [Grouping]
  /// The columns to group by into sections, outermost first.
  ///
  /// Columns that are set have a section for each value.
  public var group: [Int] {
    get { groupings.map(\.column) }
    set { groupings = newValue.map { Grouping($0) } }
  }
  /// The aggregates of each section and of all rows.
  public var aggregates: [Aggregate] = []
  /// The order of the sections of each level, or empty if all are in ascending order of their
  /// values.
  public var sections: [SectionOrder] = []
  /// Whether operator-only columns are excluded.
  var isRestricted = false

  /// Creates a query; the default is all rows in the source's order.
  public init(sort: [SortTerm] = [], search: String = "", filter: Filter<Int>? = nil, group: [Int] = []) {
    self.sort = sort
    exactSearch = ExactText(search)
    self.filter = filter
    groupings = group.map { Grouping($0) }
  }
}

/// The part of a view that a client displays, and its reaction to changes.
public struct Viewport: Hashable, Codable, Sendable {
  /// An edge at which a viewport stays.
  public enum Stick: String, Codable, Sendable {
    /// The first items.
    case top
    /// The last items: follow mode.
    case end
  }

  /// The position of the first visible item.
  public var first: Int
  /// The number of visible items.
  public var count: Int
  /// The number of items to hold below the visible ones, or `nil` for the engine's choice.
  public var ahead: Int?
  /// The number of items to hold above the visible ones, or `nil` for the engine's choice.
  public var behind: Int?
  /// The scroll anchor: the row that keeps its place on the screen, or `nil` for the first visible
  /// one.
  public var anchor: RowID?
  /// An edge to stay at instead of the scroll anchor.
  public var stick: Stick?
  /// The number of the last window or patch that the client had applied.
  public var sequence: UInt64

  /// Creates a viewport.
  public init(
    first: Int = 0, count: Int = 50, ahead: Int? = nil, behind: Int? = nil, anchor: RowID? = nil,
    stick: Stick? = .top, sequence: UInt64 = 0
  ) {
    self.first = first
    self.count = count
    self.ahead = ahead
    self.behind = behind
    self.anchor = anchor
    self.stick = stick
    self.sequence = sequence
  }

  /// The position of the first visible item, clamped to the range that cannot overflow.
  var place: Int { min(max(0, first), BlockRequest.greatestCount) }
}
