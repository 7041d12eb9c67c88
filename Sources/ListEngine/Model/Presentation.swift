/// The values of a column that a level of severity applies to.
public enum SeverityRule: Hashable, Codable, Sendable {
  /// Numbers from this one on.
  ///
  /// Numbers at or above it, or at or below it in a column whose higher numbers are better.
  case threshold(Double)
  /// Cells equal to one of these values, as in a client's filter.
  case values([Cell])
}

/// The explanation of a column, and the severity of its values.
public struct ColumnPresentation: Hashable, Codable, Sendable {
  /// A sentence that explains the column to users, or an empty string.
  public var description: String
  /// The values that need attention, or `nil` for none.
  public var warning: SeverityRule?
  /// The values that need action, or `nil` for none; they take precedence over ``warning``.
  public var critical: SeverityRule?
  /// The number of values that a server keeps of each row, or `nil` for none; see ``Derivation``.
  public var history: Int?

  /// Creates a presentation; the default is empty.
  public init(
    description: String = "", warning: SeverityRule? = nil, critical: SeverityRule? = nil, history: Int? = nil
  ) {
    self.description = description
    self.warning = warning
    self.critical = critical
    self.history = history
  }
}

/// A column to sort by, referred to by name.
public struct NamedSortTerm: Hashable, Codable, Sendable {
  /// The name of the column.
  public var column: String
  /// Whether the order is descending.
  public var isDescending: Bool

  /// Creates a sort term.
  public init(_ column: String, descending: Bool = false) {
    self.column = column
    self.isDescending = descending
  }
}

/// The query and the layout that a client shows until the user chooses others.
///
/// Columns are referred to by name.
public struct DefaultView: Hashable, Codable, Sendable {
  /// The columns to sort by, most significant first.
  public var sort: [NamedSortTerm]
  /// The filter, or `nil` for all rows.
  public var filter: Filter<String>?
  /// A line of text that rows must match as well, see ``FilterText``; `nil` for none.
  public var text: String?
  /// The columns to group by, outermost first.
  public var group: [String]
  /// The aggregates of each section and of all rows.
  public var aggregates: [AggregateRequest]
  /// The columns that come first, in this order; the others follow in the order of the schema.
  public var order: [String]
  /// The columns that are hidden.
  public var hidden: [String]
  /// The columns that stay at the left edge.
  public var pinned: [String]
  /// The tiles of the summary strip above the rows.
  public var tiles: [TileRequest] {
    get { declaredTiles ?? [] }
    set { declaredTiles = newValue.isEmpty ? nil : newValue }
  }
  /// The tiles, or `nil` for none: recordings may lack the member.
  private var declaredTiles: [TileRequest]?

  /// The ranges of columns in ``group``; times are divided at the client's own offset from UTC.
  public var ranges: [GroupingRequest] {
    get { declaredRanges ?? [] }
    set { declaredRanges = newValue.isEmpty ? nil : newValue }
  }
  /// The ranges, or `nil` for none: recordings may lack the member.
  private var declaredRanges: [GroupingRequest]?

  /// Creates a view; the default is all rows and columns in the source's order.
  public init(
    sort: [NamedSortTerm] = [], filter: Filter<String>? = nil, text: String? = nil, group: [String] = [],
    aggregates: [AggregateRequest] = [], order: [String] = [], hidden: [String] = [], pinned: [String] = [],
    tiles: [TileRequest] = [], ranges: [GroupingRequest] = []
  ) {
    self.sort = sort
    self.filter = filter
    self.text = text
    self.group = group
    self.aggregates = aggregates
    self.order = order
    self.hidden = hidden
    self.pinned = pinned
    declaredTiles = tiles.isEmpty ? nil : tiles
    declaredRanges = ranges.isEmpty ? nil : ranges
  }

  /// The view without the parts that refer to columns outside a set.
  ///
  /// A filter or tile that refers to such a column is left out as a whole. The text stays.
  public func limited(to columns: Set<String>) -> DefaultView {
    DefaultView(
      sort: sort.filter { columns.contains($0.column) },
      filter: filter.flatMap { $0.columns.isSubset(of: columns) ? $0 : nil }, text: text,
      group: group.filter(columns.contains),
      aggregates: aggregates.filter { columns.contains($0.column) }, order: order.filter(columns.contains),
      hidden: hidden.filter(columns.contains), pinned: pinned.filter(columns.contains),
      tiles: tiles.filter { $0.columns.isSubset(of: columns) },
      ranges: ranges.filter { columns.contains($0.column) })
  }
}

/// The end of a table at which its newest rows are.
public enum NewestEnd: String, Hashable, Codable, Sendable {
  case top, end
}

/// The explanation of a table and its default view.
public struct TablePresentation: Hashable, Codable, Sendable {
  /// A sentence that explains the table to users, or an empty string.
  public var description: String
  /// A short text such as an emoji in front of the title, or an empty string.
  public var icon: String
  /// The query and layout that clients show first.
  public var view: DefaultView
  /// The column whose levels mark the whole row, or `nil` for none.
  public var severity: String?
  /// The end at which the newest rows are in the source's own order, or `nil` if they may be
  /// anywhere.
  public var newest: NewestEnd?
  /// The name of the column in which a server keeps the time of each row's last change, or `nil`
  /// for none; see ``Derivation``.
  public var changed: String?

  /// Creates a presentation; the default is empty.
  public init(
    description: String = "", icon: String = "", view: DefaultView = DefaultView(), severity: String? = nil,
    newest: NewestEnd? = nil, changed: String? = nil
  ) {
    self.description = description
    self.icon = icon
    self.view = view
    self.severity = severity
    self.newest = newest
    self.changed = changed
  }
}

extension Filter {
  /// The columns that the filter refers to.
  var columns: Set<Name> {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.columns) }
    case .not(let part): part.columns
    case .compare(let name, _, _), .range(let name, _, _), .contains(let name, _), .startsWith(let name, _),
      .matches(let name, _, _), .oneOf(let name, _), .age(let name, _, _), .isEmpty(let name):
      [name]
    }
  }
}
