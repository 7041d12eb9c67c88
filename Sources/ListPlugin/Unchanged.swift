/// A cell that keeps its value, for batches of updates.
public struct Unchanged: Hashable, Sendable {
  /// Creates a cell that keeps its value.
  public init() {}
}
