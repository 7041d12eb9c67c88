/// A null cell. An optional value that is nil has the same effect.
public struct Null: Hashable, Sendable {
  /// Creates a null cell.
  public init() {}
}
