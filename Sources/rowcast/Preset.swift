import Foundation
import ListEngine
import TextSource
import Yams

/// A description of a command's output: `presets/df.yaml`, or one of the user's own.
///
///     about: File systems and their free space
///     command: df -PT
///     interval: 5
///     key: [Mounted on]
///     columns:
///       1024-blocks: {title: Size, type: KiB}
struct Preset: Decodable, Sendable {
  /// The declaration of one column.
  struct Declaration: Decodable, Sendable {
    var title: String?
    var type: String?
    var unit: String?
    var style: String?
    var better: String?
    var warn: Level?
    var critical: Level?
  }

  /// The values of a severity: a number, or a list of texts.
  enum Level: Decodable, Sendable {
    case threshold(Double)
    case values([String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        self = .threshold(number)
      } else {
        self = .values(try container.decode([String].self))
      }
    }

    /// The rule of the column.
    var rule: SeverityRule {
      switch self {
      case .threshold(let number): .threshold(number)
      case .values(let texts): .values(texts.map { .text($0) })
      }
    }
  }

  /// A tile of the summary strip: the number of rows, or a function of a column.
  struct TileDeclaration: Decodable, Sendable {
    var title: String?
    /// The function, such as `sum`; the number of rows by default.
    var function: String?
    var column: String?
    /// The values by column that rows must have to count.
    var rows: [String: [String]]?

    /// Returns the tile.
    func request() throws(TextArguments.Problem) -> TileRequest {
      var tile = TileRequest(title: String((title ?? "").prefix(100)))
      if let function, function != "count" {
        guard let known = Aggregate.Function(rawValue: function), let column else {
          let all = Aggregate.Function.allCases.map(\.rawValue).joined(separator: ", ")
          throw TextArguments.Problem("a tile’s “function” is count, or one of \(all) with a “column”")
        }
        tile.aggregate = AggregateRequest(known, of: column)
      }
      let parts = (rows ?? [:]).sorted { $0.key < $1.key }.map { name, values in
        Filter<String>.oneOf(name, values.map { .text($0) })
      }
      if !parts.isEmpty { tile.filter = parts.count == 1 ? parts[0] : .all(parts) }
      return tile
    }
  }

  /// A one-line description for `--list-presets`.
  var about: String
  /// The command line, run by the shell.
  var command: String
  /// The pause between runs in seconds.
  var interval: Double?
  /// The columns that identify a row.
  var key: [String]?
  /// The columns to show, in order.
  var show: [String]?
  /// The names of the columns, in order.
  var names: [String]?
  var header: Bool?
  var format: String?
  var delimiter: String?
  /// A regular expression, or the name of a ready-made pattern.
  var pattern: String?
  /// The declared columns, by name.
  var columns: [String: Declaration]?
  /// The table's title.
  var title: String?
  /// The columns to sort by first; a minus in front makes the order descending.
  var sort: [String]?
  /// The columns that are hidden first.
  var hide: [String]?
  /// The column whose levels mark the whole row.
  var severity: String?
  /// The tiles of the summary strip.
  var tiles: [TileDeclaration]?
  /// The name of the command's parser in `jc`, such as `df`.
  var jc: String?

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case about, command, interval, key, show, names, header, format, delimiter, pattern, columns, title, sort, hide
    case severity, tiles, jc
  }

  /// Reads a preset.
  ///
  /// - Throws: ``EnvironmentFailure`` when reading the file fails or it has a wrong value.
  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 64 << 10 else {
      throw EnvironmentFailure(
        description: "reading the preset \(path) failed: it must be a readable file of at most 64 KiB")
    }
    do {
      self = try YAMLDecoder().decode(Preset.self, from: data)
      let known = Set(CodingKeys.allCases.map(\.rawValue))
      let keys = try Yams.compose(yaml: String(decoding: data, as: UTF8.self))?.mapping?.keys.compactMap(\.string) ?? []
      if let wrong = keys.first(where: { !known.contains($0) }) {
        throw TextArguments.Problem("unknown member “\(wrong)”: use \(known.sorted().joined(separator: ", "))")
      }
      _ = try options()
    } catch {
      throw EnvironmentFailure(description: "the preset \(path) is invalid: \(Self.reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let problem as TextArguments.Problem: problem.text
    case DecodingError.keyNotFound(let key, _): "“\(key.stringValue)” is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
    default: "\(error)"
    }
  }

  /// Returns the options that the preset sets.
  func options() throws(TextArguments.Problem) -> TextOptions {
    var options = TextOptions()
    options.key = key ?? []
    options.columns = show
    options.names = names ?? []
    options.hasHeader = header ?? true
    options.title = title ?? ""
    let terms = (sort ?? []).map {
      NamedSortTerm($0.hasPrefix("-") ? String($0.dropFirst()) : $0, descending: $0.hasPrefix("-"))
    }
    guard terms.count <= Limits().sortTerms else {
      throw TextArguments.Problem("“sort” has \(terms.count) columns: use at most \(Limits().sortTerms)")
    }
    options.presentation = TablePresentation(
      description: String(about.prefix(1_000)), view: DefaultView(sort: terms, hidden: hide ?? []), severity: severity)
    for tile in tiles ?? [] { options.presentation?.view.tiles.append(try tile.request()) }
    guard tiles?.count ?? 0 <= 6 else {
      throw TextArguments.Problem("“tiles” has \(tiles?.count ?? 0) entries: use at most 6")
    }
    if let severity, columns?[severity]?.warn == nil, columns?[severity]?.critical == nil {
      throw TextArguments.Problem("the column “\(severity)” of “severity” has no levels: give it “warn” or “critical”")
    }
    if let format { options.format = try TextArguments.format(format) }
    if let delimiter { options.delimiter = try TextArguments.delimiter(delimiter) }
    if let pattern { options.pattern = try TextArguments.pattern(pattern) }
    for (name, declaration) in columns ?? [:] {
      var hint = ColumnHint(title: declaration.title, unit: declaration.unit)
      if let type = declaration.type { hint.kind = try TextArguments.kind(type) }
      hint.style = declaration.style.flatMap { .init(rawValue: $0) }
      hint.better = declaration.better.flatMap { .init(rawValue: $0) }
      if declaration.style != nil, hint.style == nil || declaration.better != nil && hint.better == nil {
        throw TextArguments.Problem("the style or direction of column “\(name)” is unknown")
      }
      hint.severity = ColumnPresentation(warning: declaration.warn?.rule, critical: declaration.critical?.rule)
      options.hints[name] = hint
    }
    return options
  }

  // MARK: Folders

  /// Returns the folders that are searched for presets; the first one that has a name wins.
  static func folders(_ own: String?) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { "\($0)/.config" }
    return [own, home.map { "\($0)/rowcast/presets" }, Installation.presetsFolder()].compactMap { $0 }
  }

  /// Finds a preset by its name.
  static func named(_ name: String, folder: String?) throws -> Preset {
    for folder in folders(folder) where Child.isName(name) {
      for ending in endings {
        let path = "\(folder)/\(name).\(ending)"
        if FileManager.default.fileExists(atPath: path) { return try Preset(path: path) }
      }
    }
    throw EnvironmentFailure(
      description: "unknown preset “\(name)”: rowcast watch --list-presets lists them; "
        + "your own belong in ~/.config/rowcast/presets/\(Child.isName(name) ? name : "NAME").yaml")
  }

  private static let endings = ["yaml", "yml", "json"]

  /// Returns a line for each preset: its name, what it shows and its command.
  static func list(folder: String?) -> [String] {
    var lines: [String: String] = [:]
    for folder in folders(folder) {
      for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let parts = file.split(separator: ".")
        guard parts.count == 2, endings.contains(String(parts[1])) else { continue }
        let name = String(parts[0])
        guard lines[name] == nil else { continue }
        let padded = name.padding(toLength: max(18, name.count), withPad: " ", startingAt: 0)
        do {
          let preset = try Preset(path: "\(folder)/\(file)")
          lines[name] = "\(padded) \(preset.about): \(preset.command)"
        } catch {
          lines[name] = "\(padded) (invalid) \(error)"
        }
      }
    }
    return lines.keys.sorted().map { lines[$0]! }
  }
}
