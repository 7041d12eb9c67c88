/// The query capabilities of a windowed source.
///
/// The engine evaluates the residual query itself if at most ``Limits/remainderRows`` rows are
/// left.
public struct WindowedCapabilities: Hashable, Codable, Sendable {
  /// The filter operators that a source can support.
  public enum FilterOperator: String, CaseIterable, Codable, Sendable {
    /// Equal to a value.
    case equal
    /// Not equal to a value, and not null.
    case notEqual
    /// Less than, greater than, or equal to a value.
    case order
    /// Between two values, inclusive.
    case range
    /// Contains a text, ignoring case.
    case contains
    /// Starts with a text, ignoring case.
    case startsWith
    /// Contains a match of a regular expression.
    case matches
    /// Equal to one of several values.
    case oneOf
    /// Is null.
    case isEmpty
    /// Disjunction of filters.
    ///
    /// Conjunction needs no capability: every source that can filter supports it.
    case any
    /// Negation of a filter.
    case not
  }

  /// The paging methods of a source.
  public enum Paging: String, Codable, Sendable {
    /// Rows are requested by offset, so clients can jump anywhere.
    case offset
    /// Rows are requested by ``BlockCursor``, so changes elsewhere do not shift a block.
    ///
    /// Clients reach a row only by scrolling: the list grows by one block at its end.
    case keyset
    /// Rows are requested by cursor plus offset.
    ///
    /// Changes elsewhere do not shift a block, and clients can jump anywhere.
    case keysetAndOffset
  }

  /// The numbers of the columns to sort by, in both directions and in combination.
  ///
  /// Nulls must come last, and ties follow the source's order.
  public var sort: Set<Int>
  /// The supported filter operators, for all columns in ``filterColumns``.
  public var filters: Set<FilterOperator>
  /// The columns that can be filtered; `nil` for all.
  public var filterColumns: Set<Int>?
  /// Whether the source can search for a text in all text columns.
  public var searches: Bool
  /// The columns to group by.
  ///
  /// The source returns the sections with their row counts, and the rows of one section.
  public var group: Set<Int>
  /// The accuracy of row counts.
  public var count: CountAccuracy
  /// The paging method.
  public var paging: Paging
  /// Whether the source reports changes.
  ///
  /// Otherwise the engine reloads the visible rows every ``refresh``.
  public var tellsChanges: Bool
  /// The interval for reloading the visible rows.
  ///
  /// For a source that does not report changes, `nil` is never. For one that does, it is the least
  /// time between two reloads, and `nil` is ``Limits/refreshInterval``.
  public var refresh: Duration?
  /// Whether the source can cancel requests.
  ///
  /// Otherwise an abandoned request counts as pending until it is answered.
  public var cancels: Bool

  /// Creates capabilities.
  ///
  /// The default only returns counted rows in the source's order, by offset.
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
