/// The explanation of a table and the view that users see until they choose another.
///
///     TableView(
///       description: "The jobs of the last day", sort: [.descending("started")],
///       filter: .not(.isOne(of: ["done"], in: "state")))
public struct TableView: Hashable, Sendable {
  /// A sentence that explains the table to users; may be empty.
  public var description: String
  /// A short text such as an emoji in front of the title; may be empty.
  public var icon: String
  /// The columns to sort by, most significant first.
  public var sort: [SortTerm]
  /// The rows to show; nil for all.
  public var filter: RowFilter?
  /// The columns to group by, outermost first.
  public var group: [String]
  /// The ranges of columns in ``group``; the others have a section for each value.
  public var ranges: [ColumnRanges]
  /// The aggregates of each section and of all rows.
  public var aggregates: [Aggregate]
  /// The columns that come first; the others follow in the order of the schema.
  public var order: [String]
  /// The columns that are hidden.
  public var hidden: [String]
  /// The columns that stay at the left edge.
  public var pinned: [String]
  /// The tiles of the summary strip above the rows; at most six.
  public var tiles: [Tile]
  /// The column whose levels mark the whole row; nil for none.
  public var severity: String?
  /// The end at which the newest rows are in the source's own order; nil if they may be anywhere,
  /// or if the schema's retention tells.
  public var newest: NewestEnd?
  /// The name of a column that the server adds, with the time of each row's last change; nil for
  /// none.
  public var changed: String?

  /// Creates a view; the default is all rows and columns in the source's order.
  public init(
    description: String = "", icon: String = "", sort: [SortTerm] = [], filter: RowFilter? = nil, group: [String] = [],
    aggregates: [Aggregate] = [], order: [String] = [],
    hidden: [String] = [], pinned: [String] = [], tiles: [Tile] = [], severity: String? = nil,
    newest: NewestEnd? = nil, changed: String? = nil, ranges: [ColumnRanges] = []
  ) {
    self.description = description
    self.icon = icon
    self.sort = sort
    self.filter = filter
    self.group = group
    self.ranges = ranges
    self.aggregates = aggregates
    self.order = order
    self.hidden = hidden
    self.pinned = pinned
    self.tiles = tiles
    self.severity = severity
    self.newest = newest
    self.changed = changed
  }
}

/// The end of a table at which its newest rows are.
public enum NewestEnd: String, Hashable, Sendable {
  /// The first rows are the newest.
  case top
  /// The last rows are the newest.
  case end
}

/// The ranges into which the values of a grouped column are divided.
public enum ColumnRanges: Hashable, Sendable {
  /// Ranges of numbers between the multiples of a width above 0.
  case width(Double, of: String)
  /// Minutes, hours, days, weeks, months or years of times, on the clock of the user.
  case unit(TimeUnit, of: String)

  /// A unit of the calendar.
  public enum TimeUnit: String, Hashable, Sendable {
    case minute, hour, day, week, month, year
  }
}

/// A column to sort by.
public enum SortTerm: Hashable, Sendable {
  /// Ascending values of this column.
  case ascending(String)
  /// Descending values of this column.
  case descending(String)
}

/// A function of a column's values.
public struct Aggregate: Hashable, Sendable {
  /// The functions.
  public enum Function: String, Hashable, Sendable {
    /// The sum.
    case sum
    /// The arithmetic mean.
    case mean
    /// The minimum.
    case min
    /// The maximum.
    case max
    /// The number of distinct values.
    case distinct
    /// The 50th percentile, by nearest rank: always one of the values.
    case median
    /// The 1st percentile, by nearest rank.
    case p1
    /// The 5th percentile, by nearest rank.
    case p5
    /// The 10th percentile, by nearest rank.
    case p10
    /// The 90th percentile, by nearest rank.
    case p90
    /// The 95th percentile, by nearest rank.
    case p95
    /// The 99th percentile, by nearest rank.
    case p99
    /// The value of the first row in the order of the view; not for tiles.
    case first
    /// The value of the last row in the order of the view; not for tiles.
    case last
  }
  /// The function.
  public var function: Function
  /// The name of the column.
  public var column: String

  /// Creates an aggregate.
  public init(_ function: Function, of column: String) {
    self.function = function
    self.column = column
  }
}

/// A figure about all rows for the summary strip.
///
///     Tile("Running", where: .isOne(of: ["running"], in: "state"))
///     Tile("Memory", Aggregate(.sum, of: "memory"))
public struct Tile: Hashable, Sendable {
  /// The heading; an empty text leaves the wording to the page.
  public var title: String
  /// The aggregate of a column; nil for the number of rows.
  public var aggregate: Aggregate?
  /// The rows that count; nil for all.
  public var filter: RowFilter?

  /// Creates a tile.
  public init(_ title: String = "", _ aggregate: Aggregate? = nil, where filter: RowFilter? = nil) {
    self.title = title
    self.aggregate = aggregate
    self.filter = filter
  }
}

/// A value of a filter or a severity rule.
public enum FilterValue: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  /// A text.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// A number; one that is not finite makes the host refuse the view.
  case number(Double)
  /// A boolean.
  case boolean(Bool)

  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// A condition on the rows of a table.
public indirect enum RowFilter: Hashable, Sendable {
  /// Rows that match all of these.
  case all([RowFilter])
  /// Rows that match at least one of these.
  case any([RowFilter])
  /// Rows that do not match.
  case not(RowFilter)
  /// Rows with one of these values in a column.
  case isOne(of: [FilterValue], in: String)
  /// Rows with at least this value in a column.
  case atLeast(FilterValue, in: String)
  /// Rows with at most this value in a column.
  case atMost(FilterValue, in: String)
  /// Rows with this text in a text column, ignoring case.
  case contains(String, in: String)
  /// Rows without a value in a column.
  case isEmpty(String)
}

/// The values of a column to which a severity applies.
public enum SeverityRule: Hashable, Sendable {
  /// Numbers from this one on: downwards in a column whose higher numbers are better, else upwards.
  case from(Double)
  /// These values.
  case values([FilterValue])
}
