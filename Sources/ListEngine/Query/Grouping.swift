/// A column to group by: each section has the rows with one value, or with values in one range.
public struct Grouping: Hashable, Sendable {
  /// The index of the column in the schema.
  public var column: Int
  /// The ranges, or `nil` for a section for each value.
  public var ranges: ValueRanges?

  /// Creates a grouping.
  public init(_ column: Int, ranges: ValueRanges? = nil) {
    self.column = column
    self.ranges = ranges
  }

  /// Returns the value of the section that contains the rows with this cell.
  func section(of cell: Cell) -> Cell { ranges?.lowerBound(of: cell) ?? cell }
}

/// The ranges into which the values of a column of numbers or times are divided.
///
/// A range contains its lower bound and not its end. A section of a range has the lower bound as
/// its value; empty cells have a section of their own.
public enum ValueRanges: Hashable, Sendable {
  /// Ranges of integers, from the multiples of a width above 0.
  case integers(width: Int64)
  /// Ranges of floating-point numbers.
  case numbers(NumberRanges)
  /// Ranges of times.
  case times(TimeRanges)

  /// Returns the lower bound of the range of a cell; null for null.
  ///
  /// A bound that the type cannot hold is replaced by the least value of the type.
  @inline(__always) func lowerBound(of cell: Cell) -> Cell {
    switch (cell, self) {
    case (.integer(let value), .integers(let width)):
      let (bound, overflows) = value.subtractingReportingOverflow(Self.rest(value, width))
      return .integer(overflows ? .min : bound)
    case (.number(let value), .numbers(let ranges)): return .number(ranges.lowerBound(of: value))
    case (.timestamp(let time), .times(let ranges)): return .timestamp(ranges.lowerBound(of: time))
    default: return cell
    }
  }

  /// Returns the first value after the range that contains a cell.
  ///
  /// Returns `nil` for null, and if the type cannot hold the value.
  func end(of cell: Cell) -> Cell? {
    switch (cell, self) {
    case (.integer(let value), .integers(let width)):
      let (end, overflows) = value.addingReportingOverflow(width - Self.rest(value, width))
      return overflows ? nil : .integer(end)
    case (.number(let value), .numbers(let ranges)): return ranges.end(of: value).map { .number($0) }
    case (.timestamp(let time), .times(let ranges)): return ranges.end(of: time).map { .timestamp($0) }
    default: return nil
    }
  }

  /// Returns the distance from the lower bound to a value.
  @inline(__always) private static func rest(_ value: Int64, _ width: Int64) -> Int64 {
    let rest = value % width
    return rest < 0 ? rest + width : rest
  }
}
