/// The changes that wait while a window's order is held.
public struct Held: Hashable, Sendable {
  /// The number of items in the window that would be deleted, inserted or moved if the hold ended
  /// now.
  public var moves: Int
  /// The indexes in the window of items that have left the view, ascending.
  ///
  /// They keep their place until the hold ends.
  public var gone: [Int]

  /// Creates a summary of waiting changes.
  public init(moves: Int = 0, gone: [Int] = []) {
    self.moves = moves
    self.gone = gone
  }
}
