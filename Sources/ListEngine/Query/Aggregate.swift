/// One number that a query asks of every section, and of all its rows: the sum of a column, say.
///
/// Empty cells do not count. Of no values the distinct count is 0, and everything else is empty.
public struct Aggregate: Hashable, Sendable {
  /// What is made of a column's values.
  public enum Function: String, CaseIterable, Codable, Sendable {
    /// Their sum. Exact for whole numbers: one that 64 bits cannot hold is given as the nearest number. For numbers it is the exact
    /// sum, rounded once, so that it never drifts; empty when it is beyond the greatest number.
    case sum
    /// Their sum by their count.
    case mean
    /// The least of them.
    case min
    /// The greatest of them.
    case max
    /// How many different ones there are.
    case distinct

    /// What it is called in a sentence.
    var words: String {
      switch self {
      case .sum: "sum"
      case .mean: "average"
      case .min: "minimum"
      case .max: "maximum"
      case .distinct: "number of different values"
      }
    }

    /// Whether it can be made of values of this type.
    func takes(_ type: ColumnType) -> Bool {
      switch self {
      case .sum, .mean: type == .integer || type == .number
      case .min, .max: type == .integer || type == .number || type == .timestamp
      case .distinct: true
      }
    }
  }

  /// The column's number in the schema.
  public var column: Int
  /// What is made of it.
  public var function: Function

  /// This of that column.
  public init(_ function: Function, of column: Int) {
    self.column = column
    self.function = function
  }
}

/// An ``Aggregate`` as a page writes it: with the column's name.
public struct AggregateRequest: Hashable, Codable, Sendable {
  /// The column's name.
  public var column: String
  /// What is made of it.
  public var function: Aggregate.Function

  /// This of that column.
  public init(_ function: Aggregate.Function, of column: String) {
    self.column = column
    self.function = function
  }
}
