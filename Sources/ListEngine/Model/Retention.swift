/// Which rows a table keeps by itself. The others go as if their source had removed them: the one that came first goes first.
///
/// A row comes when its key is new to the table. What is said of it later does not make it younger, nor does a place elsewhere in the
/// source's order; a row that was removed and comes back has come anew.
public enum Retention: Hashable, Codable, Sendable {
  /// All of them.
  case everything
  /// The last so many, at least 1. There is never one more, except while a list is being loaded again and directly after it.
  case last(Int)
  /// Those that came in this time, more than zero. It is the time of the engine's clock at which they came, not a column's: a clock
  /// that goes back has stood still.
  case recent(Duration)
}
