import ListEngine

/// The columns of an export, and the separator of its fields in CSV.
public struct ExportLayout: Sendable, Hashable {
  /// The character between the fields of CSV.
  public enum Separator: String, CaseIterable, Sendable {
    /// The separator of RFC 4180.
    case comma
    /// The separator that spreadsheets expect where numbers have a decimal comma.
    case semicolon
    /// The separator of tab-separated values.
    case tab

    /// The character as a byte.
    var byte: UInt8 {
      switch self {
      case .comma: UInt8(ascii: ",")
      case .semicolon: UInt8(ascii: ";")
      case .tab: UInt8(ascii: "\t")
      }
    }
  }

  /// The positions of the columns in the schema, in the order of the file; `nil` for all columns.
  public var columns: [Int]?
  /// The separator of the fields in CSV.
  public var separator: Separator

  /// Creates the layout of the given columns.
  public init(columns: [Int]? = nil, separator: Separator = .comma) {
    self.columns = columns
    self.separator = separator
  }

  /// Decodes the arguments `fields=name,cpu` and `separator=semicolon` of an export URL.
  ///
  /// - Throws: A ``ListEngine/ClientError`` for an unknown or repeated column, and for a separator
  ///   that is unknown or not for `format`.
  public init(arguments: [String], format: ExportFormat, schema: Schema) throws(ClientError) {
    self.init()
    for argument in arguments {
      let name = argument.prefix { $0 != "=" }
      let value = argument.dropFirst(name.count + 1)
      switch name {
      case "fields": columns = try Self.columns(value, in: schema)
      case "separator":
        guard format == .csv else {
          throw .unreadableMessage("“separator” is only for CSV: leave it out for \(format.rawValue)")
        }
        guard let found = Separator(rawValue: String(value)) else {
          let all = Separator.allCases.map(\.rawValue).joined(separator: ", ")
          throw .unreadableMessage("unknown separator: use one of \(all)")
        }
        separator = found
      default: break
      }
    }
  }

  private static func columns(_ value: Substring, in schema: Schema) throws(ClientError) -> [Int]? {
    let places = Dictionary(schema.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var columns: [Int] = []
    var seen: Set<Int> = []
    for term in value.split(separator: ",") {
      let name = try QueryRequest.column(term)
      guard let place = places[name] else { throw .unknownColumn(table: schema.name, column: name) }
      guard seen.insert(place).inserted else { throw .unreadableMessage("“fields” has “\(name)” twice") }
      columns.append(place)
    }
    return columns.isEmpty ? nil : columns
  }
}
