/// What a windowed source can do by itself. What it cannot, the engine does with all rows of the rest, if there are few enough of
/// them: ``Limits/remainderRows``.
public struct WindowedCapabilities: Hashable, Codable, Sendable {
  /// What a filter may ask of one column, or do with other filters.
  public enum FilterOperator: String, CaseIterable, Codable, Sendable {
    /// Equal to a value.
    case equal
    /// Not equal to a value, and not empty.
    case notEqual
    /// Less or greater than a value, or the same.
    case order
    /// From one value through another.
    case range
    /// Texts with a text in them, without regard to case.
    case contains
    /// Texts that begin with a text, without regard to case.
    case startsWith
    /// Texts in which a regular expression is found.
    case matches
    /// One of some values.
    case oneOf
    /// Empty cells.
    case isEmpty
    /// At least one of several filters. That all of several pass is no power of its own: a source that can filter can do it.
    case any
    /// Rows that do not pass a filter.
    case not
  }

  /// How rows are asked for.
  public enum Paging: String, Codable, Sendable {
    /// By how many rows come before them. The reader may jump anywhere.
    case offset
    /// By the place where the rows before them end, a ``PageCursor`` that the source makes. What comes and goes above never moves what is
    /// read. A place must have been reached before one can go on from it: the list grows by a page as the reader comes to its end.
    case keyset
    /// By a place, and so many rows on from it: what is read stays where it is, and the reader may jump anywhere.
    case keysetAndOffset
  }

  /// The columns it can sort by, in both directions and several at once; empty cells last, ties in its own order. By number.
  public var sort: Set<Int>
  /// What its filters can do; on every column that ``filterColumns`` names.
  public var filters: Set<FilterOperator>
  /// The columns it can filter by; `nil` for all.
  public var filterColumns: Set<Int>?
  /// Whether it can look for a text in all text columns.
  public var searches: Bool
  /// The columns it can group by. It answers which sections there are, and with how many rows each; and can give the rows of one.
  public var group: Set<Int>
  /// How well it can count the rows of a query.
  public var count: CountAccuracy
  /// How rows are asked for.
  public var paging: Paging
  /// Whether it says when something in it has changed. One that does not is asked again for what is in sight every ``refresh``.
  public var tellsChanges: Bool
  /// How often what is in sight of a source that does not tell changes is asked for again; `nil` for never.
  public var refresh: Duration?
  /// Whether it can stop working on an answer. If not it is not told to, and what nobody waits for any more counts until it is answered.
  public var cancels: Bool

  /// A source that can do nothing but give its rows in its own order, counted, by offset, unless told otherwise.
  public init(
    sort: Set<Int> = [], filters: Set<FilterOperator> = [], filterColumns: Set<Int>? = nil, searches: Bool = false,
    group: Set<Int> = [], count: CountAccuracy = .exact, paging: Paging = .offset, tellsChanges: Bool = true,
    refresh: Duration? = nil, cancels: Bool = true
  ) {
    self.sort = sort
    self.filters = filters
    self.filterColumns = filterColumns
    self.searches = searches
    self.group = group
    self.count = count
    self.paging = paging
    self.tellsChanges = tellsChanges
    self.refresh = refresh
    self.cancels = cancels
  }
}
