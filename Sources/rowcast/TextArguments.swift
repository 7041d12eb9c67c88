import ArgumentParser
import ListEngine
import TextSource

/// Options for data without a declared schema.
struct TextArguments: ParsableArguments {
  /// The reason why a value is refused.
  struct Problem: Error {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Option(
    help: ArgumentHelp(
      "ndjson, json, csv, tsv, logfmt, columns (as ps and kubectl write them), properties (name: value), records (of several lines) or lines; inferred if left out.",
      valueName: "format"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "The character between values, such as ';' or '|'; ' ' for any number of blanks, tab for a tab.",
      valueName: "character"))
  var delimiter: String?

  @Flag(help: "The first line is a row and does not name the columns.")
  var noHeader = false

  @Option(help: ArgumentHelp("The names of the columns, in order, separated by commas.", valueName: "name,..."))
  var names: String?

  @Option(
    help: ArgumentHelp(
      "The types of columns, such as size=bytes,took=ms,when=time. Types: \(ColumnKind.rule).",
      valueName: "column=type,..."))
  var types: String?

  @Option(
    help: ArgumentHelp(
      "A regular expression whose groups (?<name>...) are the columns, or a ready-made pattern such as combined, syslog, dmesg or ls.",
      valueName: "pattern"))
  var pattern: String?

  @Option(
    help: ArgumentHelp(
      "The column that names a row, or several, with commas between them; none numbers the rows. Inferred if left out.",
      valueName: "column,..."))
  var key: String?

  @Option(help: ArgumentHelp("The columns to show, in this order, with commas between them.", valueName: "column,..."))
  var columns: String?

  @Option(help: ArgumentHelp("The name of the table in URLs.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("The title above the table.", valueName: "text"))
  var title: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "The rows to show first, as in the filter bar: 'cpu > 50 started < 15m'; the user may change it.",
      valueName: "text"))
  var filterText: String?

  func validate() throws {
    if let name, !Child.isName(name) {
      throw ValidationError("--name must be 1 to 64 letters, digits, - and _")
    }
    if key.map({ Self.list($0).isEmpty }) ?? false { throw ValidationError("--key names no column") }
    if columns.map({ Self.list($0).isEmpty }) ?? false { throw ValidationError("--columns names no column") }
    if pattern != nil, format != nil || delimiter != nil {
      throw ValidationError("--pattern replaces --format and --delimiter: use one of them")
    }
    do { _ = try options(over: TextOptions()) } catch { throw ValidationError(error.text) }
  }

  /// Returns the options with those that were given on the command line replaced.
  func options(over preset: TextOptions) throws(Problem) -> TextOptions {
    var choices = TextChoices()
    (choices.format, choices.delimiter, choices.pattern) = (format, delimiter, pattern)
    (choices.names, choices.types, choices.isHeadless) = (names, types, noHeader)
    (choices.key, choices.columns, choices.title, choices.filterText) = (key, columns, title, filterText)
    return try choices.options(over: preset)
  }

  // MARK: Values

  static func format(_ text: String) throws(Problem) -> TextFormat {
    if let format = TextFormat(rawValue: text), format != .pattern { return format }
    let names = TextFormat.allCases.filter { $0 != .pattern }.map(\.rawValue).joined(separator: ", ")
    throw Problem("--format must be one of \(names), not \(text)")
  }

  static func delimiter(_ text: String) throws(Problem) -> Character {
    if let character = ["tab": "\t", "\\t": "\t", "blank": " ", "space": " "][text] ?? text.first,
      text.count == 1 || text.count > 1 && character.isWhitespace, character.isASCII, !character.isLetter,
      character != "\""
    {
      return character
    }
    throw Problem(
      "--delimiter must be one ASCII character that is neither a letter nor a quote, tab or blank; not “\(text)”")
  }

  static func pattern(_ text: String) throws(Problem) -> LinePattern {
    do { return try LinePattern(named: text) } catch { throw Problem(error.reason) }
  }

  static func kind(_ text: String) throws(Problem) -> ColumnKind {
    guard let kind = ColumnKind(text) else {
      throw Problem("unknown type “\(text)” of a column: use \(ColumnKind.rule)")
    }
    return kind
  }

  static func filterText(_ text: String) throws(Problem) -> String {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw Problem("--where names no rows: write a text such as 'cpu > 50', or leave it out")
    }
    let most = FilterText.greatestByteCount
    guard text.utf8.count <= most else { throw Problem("--where has more than \(most) bytes: shorten it") }
    return text
  }

  static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
      .filter { !$0.isEmpty }
  }
}
