/// An empty cell. An optional value that is nil gives one too.
public struct Null: Hashable, Sendable {
  /// An empty cell.
  public init() {}
}
