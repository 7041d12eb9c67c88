/// The changes that a paused client has not received.
public struct Waiting: Hashable, Sendable {
  /// The number of rows that were changed, inserted or removed since the pause.
  ///
  /// A row that leaves and returns counts twice.
  public var changed: Int
  /// The current number of rows.
  public var rows: Int

  /// Creates a count of waiting changes.
  public init(changed: Int, rows: Int) {
    self.changed = changed
    self.rows = rows
  }
}
