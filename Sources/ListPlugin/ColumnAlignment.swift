/// Where a column's values stand in their cells.
public enum ColumnAlignment: UInt32, Sendable {
  // The numbers of `enum list_alignment`; a test compares them.

  /// Numbers and timestamps at the end, all else at the start.
  case standard = 0
  /// Where reading starts.
  case start = 1
  /// Where reading ends.
  case end = 2
  /// In the middle.
  case center = 3
}
