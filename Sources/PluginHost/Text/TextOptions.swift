import ListEngine

/// The options for reading and showing rows without a schema.
public struct TextOptions: Hashable, Sendable {
  /// The format, or `nil` to infer it.
  public var format: TextFormat?
  /// The members that together form the row key, or empty to infer them.
  public var key: [String] = []
  /// Whether to infer a key when none is given.
  ///
  /// Otherwise rows are numbered.
  public var guessesKey = true
  /// The columns to show, in this order, or `nil` for all.
  public var columns: [String]?
  /// The title above the table.
  ///
  /// The table's name is used if this is empty.
  public var title = ""
  /// The number of most recent rows to keep, or `nil` for all.
  public var kept: Int?

  /// Creates options that infer everything.
  public init() {}

  /// Extends the reason for missing rows by a hint to `--format` if the format was inferred.
  func reason(_ words: String, takenFor found: TextFormat?) -> String {
    guard format == nil, let found else { return words }
    return "\(words) (taken for \(found.rawValue); --format names another)"
  }
}
