/// The operation that a batch applies to its rows.
public enum Verb: UInt32, Sendable {
  // The values of `enum list_verb`; a test compares them.

  /// Inserts or replaces whole rows; new keys are inserted at the end.
  case upsert = 1
  /// Changes some cells of existing rows; ``Unchanged`` in a cell keeps its value.
  case update = 2
  /// Removes rows; they have no cells.
  case delete = 3
  /// Moves rows before others. The only cell is the other row's key, or null for the end.
  case move = 4
}
