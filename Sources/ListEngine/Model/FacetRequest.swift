/// A column whose values or ranges a client wants to have counted, by name.
public struct FacetRequest: Hashable, Codable, Sendable {
  /// The name of the column.
  public var column: String
  /// The zone of the hours, days and months of a column of times.
  public var zone: ZoneOffsets

  /// Creates a request for the facet of a column.
  public init(_ column: String, zone: ZoneOffsets = 0) {
    self.column = column
    self.zone = zone
  }
}
