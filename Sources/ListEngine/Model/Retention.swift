/// The rule by which a table evicts rows, the oldest first.
///
/// Views and clients see an eviction as a deletion.
///
/// A row's age counts from its insertion. Updates and moves do not make it younger, but deleting
/// and inserting it again does.
public enum Retention: Hashable, Codable, Sendable {
  /// Keep all rows.
  case everything
  /// Keep the most recent rows, at least 1.
  ///
  /// The table exceeds this number only during a reload and directly after it.
  case last(Int)
  /// Keep rows for this duration, which must be positive.
  ///
  /// The age is measured with the engine's clock rather than a timestamp column. A clock that jumps
  /// back counts as stopped.
  case recent(Duration)
}
