/// The pace at which all rows are checked: at every change of a small table, and in a large one
/// so seldom that a change costs a bounded number of rows.
struct CheckPace {
  /// The number of rows that may be checked per change.
  static let rowsPerChange = 4_096
  private var saved = 0

  /// Returns whether a check of `rows` rows is due after a change.
  mutating func isDue(rows: Int) -> Bool {
    saved += Self.rowsPerChange
    guard saved >= rows else { return false }
    saved = 0
    return true
  }
}
