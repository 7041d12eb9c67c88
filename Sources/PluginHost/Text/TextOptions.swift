import ListEngine

/// How rows that nobody has described are to be read and shown.
public struct TextOptions: Hashable, Sendable {
  /// How they are written; `nil`: found out.
  public var format: TextFormat?
  /// The members that name a row, together; empty: found out.
  public var key: [String] = []
  /// Whether to look for a key when none is given; otherwise rows are numbered.
  public var guessesKey = true
  /// The columns to show, in this order; `nil`: all.
  public var columns: [String]?
  /// What people read above the table; the table's name when empty.
  public var title = ""
  /// How many rows the table keeps, the last ones; `nil`: all.
  public var kept: Int?

  /// Everything is found out.
  public init() {}

  /// Why there is no row, with the option that helps where the format was found out.
  func reason(_ words: String, takenFor found: TextFormat?) -> String {
    guard format == nil, let found else { return words }
    return "\(words) (taken for \(found.rawValue); --format names another)"
  }
}
