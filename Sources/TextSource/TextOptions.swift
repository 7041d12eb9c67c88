import ListEngine

/// The options for reading and showing rows without a schema.
package struct TextOptions: Hashable, Sendable {
  /// The format, or `nil` to infer it.
  package var format: TextFormat?
  /// The members that together form the row key, or empty to infer them.
  package var key: [String] = []
  /// Whether to infer a key when none is given.
  ///
  /// Otherwise rows are numbered.
  package var guessesKey = true
  /// The columns to show, in this order, or `nil` for all.
  package var columns: [String]?
  /// The character between values, or `nil` to infer it.
  ///
  /// A blank separates values by any number of blanks.
  package var delimiter: Character?
  /// Whether the first line names the columns.
  package var hasHeader = true
  /// The names of the columns, in order, instead of those in the header.
  package var names: [String] = []
  /// The declared columns, by name.
  package var hints: [String: ColumnHint] = [:]
  /// The pattern of the lines, or `nil` to infer whether there is one.
  package var pattern: LinePattern?
  /// The title above the table.
  ///
  /// The table's name is used if this is empty.
  package var title = ""
  /// The explanation and the first view of the table, or `nil` for none.
  package var presentation: TablePresentation?
  /// The text of the filter bar in the first view of the table, or empty.
  package var filterText = ""
  /// The number of most recent rows to keep, or `nil` for all.
  package var rowLimit: Int?

  /// The number of rows to keep when ``rowLimit`` is `nil`, or `nil` for all.
  ///
  /// Unlike ``rowLimit`` it leaves the inference of a key on.
  package var defaultRowLimit: Int?

  /// Creates options that infer everything.
  package init() {}

  /// Returns the declared columns, with those of the format where none is declared.
  package func allHints(_ format: [String: ColumnHint]) -> [String: ColumnHint] {
    format.merging(hints) { found, own in
      var hint = own
      hint.kind = own.kind ?? found.kind
      hint.style = own.style ?? found.style
      return hint
    }
  }

  /// Extends the reason for missing rows by a hint to `--format` if the format was inferred.
  package func reason(_ words: String, takenFor found: TextFormat?) -> String {
    guard format == nil, let found else { return words }
    return "\(words) (taken for \(found.rawValue); --format names another)"
  }
}
