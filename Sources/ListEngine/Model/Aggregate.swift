/// A value that a query computes for each section and for all rows, such as the sum of a column.
///
/// Null cells are ignored, except by ``Function/first`` and ``Function/last``. Without values the
/// distinct count is 0 and the other aggregates are null.
public struct Aggregate: Hashable, Sendable {
  /// A function of a column's values.
  public enum Function: String, CaseIterable, Codable, Sendable {
    /// The sum.
    ///
    /// Integer sums are exact; a sum that does not fit into 64 bits becomes the nearest
    /// floating-point number. Floating-point sums are exact and rounded once, so that they never
    /// drift. A sum beyond the greatest finite number is null.
    case sum
    /// The arithmetic mean.
    case mean
    /// The minimum.
    case min
    /// The maximum.
    case max
    /// The number of distinct values.
    case distinct
    /// The 50th percentile.
    ///
    /// Percentiles are by nearest rank: the least value that at least this share of the values does
    /// not exceed. The result is always one of the values. This is `percentile_disc` in SQL, and
    /// type 1 in R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", 1996.
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
    /// The cell of the first row in the order of the view, which may be null.
    case first
    /// The cell of the last row in the order of the view, which may be null.
    case last

    /// The name of the function in messages to users.
    var words: String {
      switch self {
      case .sum: "sum"
      case .mean: "average"
      case .min: "minimum"
      case .max: "maximum"
      case .distinct: "number of different values"
      case .median: "median"
      case .p1: "1st percentile"
      case .p5: "5th percentile"
      case .p10: "10th percentile"
      case .p90: "90th percentile"
      case .p95: "95th percentile"
      case .p99: "99th percentile"
      case .first: "first value"
      case .last: "last value"
      }
    }

    /// The percentile that the function returns, or `nil` if it is another function.
    var percent: Int? {
      switch self {
      case .median: 50
      case .p1: 1
      case .p5: 5
      case .p10: 10
      case .p90: 90
      case .p95: 95
      case .p99: 99
      case .sum, .mean, .min, .max, .distinct, .first, .last: nil
      }
    }

    /// Whether the result depends on the order of the rows, so that tiles cannot have it.
    public var needsOrder: Bool { self == .first || self == .last }

    /// Returns whether the function accepts values of this type.
    func takes(_ type: ColumnType) -> Bool {
      switch self {
      case .sum, .mean: type == .integer || type == .number
      case .min, .max, .median, .p1, .p5, .p10, .p90, .p95, .p99:
        type == .integer || type == .number || type == .timestamp
      case .distinct: true
      case .first, .last: type != .image && type != .series
      }
    }
  }

  /// The index of the column in the schema.
  public var column: Int
  /// The function applied to the column.
  public var function: Function

  /// Creates an aggregate of a column.
  public init(_ function: Function, of column: Int) {
    self.column = column
    self.function = function
  }
}

/// An ``Aggregate`` as clients send it, with the name of the column.
public struct AggregateRequest: Hashable, Codable, Sendable {
  /// The name of the column.
  public var column: String
  /// The function applied to the column.
  public var function: Aggregate.Function

  /// Creates an aggregate of a column.
  public init(_ function: Aggregate.Function, of column: String) {
    self.column = column
    self.function = function
  }
}
