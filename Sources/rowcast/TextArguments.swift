import ArgumentParser
import PluginHost

/// Options for data without a declared schema.
struct TextArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "ndjson, json, csv, tsv, logfmt, columns (as ps and kubectl write them) or lines; found out if left out.",
      valueName: "format"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "The column that names a row, or several, with commas between them; none numbers the rows. Guessed if left out.",
      valueName: "column,..."))
  var key: String?

  @Option(help: ArgumentHelp("The columns to show, in this order, with commas between them.", valueName: "column,..."))
  var columns: String?

  @Option(help: ArgumentHelp("What the table is called in addresses.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("The title above the table.", valueName: "text"))
  var title: String?

  func validate() throws {
    if let format, TextFormat(rawValue: format) == nil {
      let names = TextFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--format must be one of \(names), not \(format)")
    }
    if let name, !Child.isName(name) {
      throw ValidationError("--name must be 1 to 64 letters, digits, - and _")
    }
    if key.map({ Self.list($0).isEmpty }) ?? false { throw ValidationError("--key names no column") }
    if columns.map({ Self.list($0).isEmpty }) ?? false { throw ValidationError("--columns names no column") }
  }

  /// Returns the options in the form that the plugin host expects, with those of a source as
  /// defaults.
  func options(over standard: TextOptions) -> TextOptions {
    var options = standard
    if let format { options.format = TextFormat(rawValue: format) }
    options.guessesKey = key != "none"
    options.key = options.guessesKey ? key.map(Self.list) ?? [] : []
    options.columns = columns.map(Self.list)
    if let title { options.title = title }
    return options
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
      .filter { !$0.isEmpty }
  }
}
