/// A cell that keeps its value, in a batch of updates.
public struct Unchanged: Hashable, Sendable {
  /// A cell that keeps its value.
  public init() {}
}
