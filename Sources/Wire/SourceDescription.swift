import ListEngine

/// A source without a table, in the form sent to clients.
public struct SourceDescription: Hashable, Sendable {
  /// The source's configured name.
  public var name: String
  /// The source's status; its `age` is the time since the source was added.
  public var source: SourceStatus

  /// Creates a description of a source without a table.
  public init(name: String, source: SourceStatus) {
    self.name = name
    self.source = source
  }
}
