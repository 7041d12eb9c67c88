import ListEngine

/// A source that has no table, as a page gets to know it.
public struct SourceDescription: Hashable, Sendable {
  /// What its user calls it.
  public var name: String
  /// How it is; its `age` is how long it has been there.
  public var source: SourceStatus

  /// A source that has no table.
  public init(name: String, source: SourceStatus) {
    self.name = name
    self.source = source
  }
}
