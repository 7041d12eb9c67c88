/// The alignment of a column's values in their cells.
public enum ColumnAlignment: UInt32, Sendable {
  // The values of `enum list_alignment`; a test compares them.

  /// Numbers and timestamps at the end, everything else at the start.
  case standard = 0
  /// The start in reading direction.
  case start = 1
  /// The end in reading direction.
  case end = 2
  /// The middle.
  case center = 3
}
