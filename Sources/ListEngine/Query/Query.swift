/// One column to sort by.
public struct SortTerm: Hashable, Sendable {
  /// The column's number in the schema.
  public var column: Int
  /// Whether the greatest value comes first. Empty cells come last either way.
  public var isDescending: Bool

  /// Sort by the column with this number.
  public init(_ column: Int, descending: Bool = false) {
    self.column = column
    self.isDescending = descending
  }
}

/// Which rows of a table are seen, and in which order.
///
/// Sessions with equal queries share one ``ListView``.
public struct Query: Hashable, Sendable {
  /// The columns to sort by, the most important first. Ties fall back to the source's order.
  public var sort: [SortTerm]
  /// Only rows in which some text column contains this, without regard to case; all rows when empty.
  public var search: String {
    get { exactSearch.string }
    set { exactSearch = ExactText(newValue) }
  }
  /// Two spellings of one search are two queries.
  private var exactSearch: ExactText
  /// Only rows that this filter lets through; all rows when `nil`.
  public var filter: Filter<Int>?
  /// The columns to group by into sections, the outermost sections' first.
  public var group: [Int]
  /// What is asked of each section, and of all rows.
  public var aggregates: [Aggregate] = []
  /// Whether the rows are without the columns for operators.
  var isRestricted = false

  /// All rows in the source's order, unless told otherwise.
  public init(sort: [SortTerm] = [], search: String = "", filter: Filter<Int>? = nil, group: [Int] = []) {
    self.sort = sort
    exactSearch = ExactText(search)
    self.filter = filter
    self.group = group
  }
}

/// The part of a view that a page shows, and how it moves.
public struct Viewport: Hashable, Codable, Sendable {
  /// Where the reader wants to stay.
  public enum Stick: String, Codable, Sendable {
    /// At the very top.
    case top
    /// At the very end: follow mode.
    case end
  }

  /// The position of the first visible item.
  public var first: Int
  /// How many items are visible.
  public var count: Int
  /// How many items to hold below what is visible; `nil` for the engine's choice.
  public var ahead: Int?
  /// How many items to hold above what is visible; `nil` for the engine's choice.
  public var behind: Int?
  /// The visible row that must not move on the screen; `nil` for the first visible one.
  public var anchor: RowID?
  /// An edge to stay at, instead of an anchor.
  public var stick: Stick?
  /// The number of the last window or patch the page had applied when it said this.
  public var sequence: UInt64

  /// A viewport.
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

  /// The position of the first visible item, within what can be added up.
  var place: Int { min(max(0, first), PageRequest.greatestCount) }
}
