/// What waits while the order of a window is held.
public struct Held: Hashable, Sendable {
  /// How many items of the window would go, come or change their place if the hold ended now.
  public var moves: Int
  /// The items that are not in the view any more, by their index in the window, ascending. They stay where they are until the hold ends.
  public var gone: [Int]

  /// So much waits.
  public init(moves: Int = 0, gone: [Int] = []) {
    self.moves = moves
    self.gone = gone
  }
}
