/// A ``Grouping`` as clients send it, with the name of the column.
public struct GroupingRequest: Hashable, Sendable {
  /// The width of ranges as clients state it.
  public enum Ranges: Hashable, Codable, Sendable {
    /// Ranges of numbers; the width is an integer or a number.
    case width(Cell)
    /// Ranges of times in a zone, which recordings call `offset`.
    case unit(TimeUnit, offset: ZoneOffsets)
  }

  /// The name of the column.
  public var column: String
  /// The ranges, or `nil` for a section for each value.
  public var ranges: Ranges?

  /// Creates a grouping.
  public init(_ column: String, ranges: Ranges? = nil) {
    self.column = column
    self.ranges = ranges
  }
}

/// Groupings without ranges are encoded as the name of the column, as in recordings of earlier
/// versions.
extension GroupingRequest: Codable {
  private enum CodingKeys: String, CodingKey { case column, ranges }

  /// Decodes a grouping written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      self.init(name)
      return
    }
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try members.decode(String.self, forKey: .column), ranges: try members.decode(Ranges.self, forKey: .ranges))
  }

  /// Encodes the grouping.
  public func encode(to encoder: any Encoder) throws {
    guard let ranges else {
      var value = encoder.singleValueContainer()
      return try value.encode(column)
    }
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(column, forKey: .column)
    try members.encode(ranges, forKey: .ranges)
  }
}
