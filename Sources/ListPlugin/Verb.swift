/// What happens to the rows of a batch.
public enum Verb: UInt32, Sendable {
  // The numbers of `enum list_verb`; a test compares them.

  /// Whole rows; a new key is inserted at the end.
  case upsert = 1
  /// Some cells; ``Unchanged`` where a column keeps its value. The row must exist.
  case update = 2
  /// The rows go. No cells.
  case delete = 3
  /// The rows go before others. One cell: the other row's key, or null for the end.
  case move = 4
}
