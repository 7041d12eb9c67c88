import TextSource

/// Choices about how text is read, as written by a user: in flags or in a configuration file.
///
/// Lists are separated by commas.
struct TextChoices {
  var format: String?
  var delimiter: String?
  var pattern: String?
  /// Whether the first line is a row.
  var isHeadless = false
  var names: String?
  var types: String?
  var key: String?
  var columns: String?
  var title: String?
  var filterText: String?

  /// Returns the options with those that were chosen replaced.
  func options(over preset: TextOptions) throws(TextArguments.Problem) -> TextOptions {
    var options = preset
    if let format { options.format = try TextArguments.format(format) }
    if let delimiter { options.delimiter = try TextArguments.delimiter(delimiter) }
    if let pattern { options.pattern = try TextArguments.pattern(pattern) }
    if isHeadless { options.hasHeader = false }
    if let names { options.names = TextArguments.list(names) }
    if let types {
      for part in TextArguments.list(types) {
        guard let equals = part.lastIndex(of: "=") else {
          throw TextArguments.Problem("--types needs COLUMN=TYPE, separated by commas, not “\(part)”")
        }
        options.hints[String(part[..<equals]), default: ColumnHint()].kind = try TextArguments.kind(
          String(part[part.index(after: equals)...]))
      }
    }
    if let key {
      options.guessesKey = key != "none"
      options.key = options.guessesKey ? TextArguments.list(key) : []
    }
    if let columns { options.columns = TextArguments.list(columns) }
    if let title { options.title = title }
    if let filterText { options.filterText = try TextArguments.filterText(filterText) }
    // Names without a header and without a delimiter are for values between blanks.
    if !options.hasHeader, options.delimiter == nil, options.format == .columns { options.delimiter = " " }
    if options.delimiter != nil { options.format = options.delimiter == "\t" ? .tsv : .csv }
    return options
  }
}
