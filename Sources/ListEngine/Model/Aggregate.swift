/// A value that a query computes for each section and for all rows, such as the sum of a column.
///
/// Null cells are ignored. Without values the distinct count is 0 and the other aggregates are
/// null.
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

    /// The name of the function in messages to users.
    var words: String {
      switch self {
      case .sum: "sum"
      case .mean: "average"
      case .min: "minimum"
      case .max: "maximum"
      case .distinct: "number of different values"
      }
    }

    /// Returns whether the function accepts values of this type.
    func takes(_ type: ColumnType) -> Bool {
      switch self {
      case .sum, .mean: type == .integer || type == .number
      case .min, .max: type == .integer || type == .number || type == .timestamp
      case .distinct: true
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
