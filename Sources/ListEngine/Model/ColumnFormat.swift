/// A display format for a column's numbers or times.
///
/// Its text form is a word, optionally followed by a dot and a fixed number of decimals: `plain`,
/// `grouped.2`, `datetime.3`. Without it, values show as many decimals as they have.
public enum ColumnFormat: Hashable, Sendable {
  /// Digits without separators, for years, ports and process identifiers: `20261`, or with 2
  /// decimals `20261.50`.
  case plain(decimals: Int? = nil)
  /// Digits with thousands separators: `20,261`, or with 2 decimals `20,261.50`.
  case grouped(decimals: Int? = nil)
  /// The day of a timestamp.
  case date
  /// The day and the time of a timestamp, with this many decimals of a second.
  case dateTime(decimals: Int? = nil)
  /// The time of day of a timestamp, with this many decimals of a second.
  case time(decimals: Int? = nil)

  /// The maximum number of decimals of a number.
  public static let greatestDecimals = 15
  /// The maximum number of decimals of a second.
  public static let greatestSecondDecimals = 9

  /// Parses the form written by ``text``.
  ///
  /// Returns `nil` for an unknown word or a number of decimals out of range.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    var decimals: Int?
    if parts.count == 2 {
      let isDigits = parts[1].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard (1...2).contains(parts[1].count), isDigits, let number = Int(String(parts[1]) ?? "") else { return nil }
      guard parts[1].count == 1 || number > 9 else { return nil }
      decimals = number
    }
    switch String(parts[0]) {
    case "plain": self = .plain(decimals: decimals)
    case "grouped": self = .grouped(decimals: decimals)
    case "date" where parts.count == 1: self = .date
    case "datetime": self = .dateTime(decimals: decimals)
    case "time": self = .time(decimals: decimals)
    default: return nil
    }
    guard isInRange else { return nil }
  }

  /// The text form, as used by plugins and the client protocol.
  public var text: String {
    switch self {
    case .plain(let decimals): Self.text("plain", decimals)
    case .grouped(let decimals): Self.text("grouped", decimals)
    case .date: "date"
    case .dateTime(let decimals): Self.text("datetime", decimals)
    case .time(let decimals): Self.text("time", decimals)
    }
  }

  /// The syntax of the text form, for error messages.
  public static let rule =
    "use plain or grouped for numbers, date, datetime or time for timestamps, "
    + "with a number of decimals as in plain.2 or datetime.3"

  /// Whether the format applies to a column of this type.
  public func fits(_ type: ColumnType) -> Bool {
    switch self {
    case .plain, .grouped: type == .integer || type == .number
    case .date, .dateTime, .time: type == .timestamp
    }
  }

  /// Whether the number of decimals is within the supported range.
  var isInRange: Bool {
    switch self {
    case .plain(let decimals), .grouped(let decimals): (0...Self.greatestDecimals).contains(decimals ?? 0)
    case .dateTime(let decimals), .time(let decimals): (0...Self.greatestSecondDecimals).contains(decimals ?? 0)
    case .date: true
    }
  }

  private static func text(_ word: String, _ decimals: Int?) -> String {
    guard let decimals else { return word }
    return "\(word).\(decimals)"
  }
}

extension ColumnFormat: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let format = ColumnFormat(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown format “\(text)”: \(Self.rule)")
    }
    self = format
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The direction in which a column's numbers improve.
///
/// Clients color changes accordingly.
public enum BetterDirection: String, CaseIterable, Codable, Sendable {
  /// Larger is better, as for a battery's charge.
  case higher
  /// Smaller is better, as for an error count.
  case lower
}

extension Schema {
  /// Checks the columns' formats and directions, and the label column.
  ///
  /// - Throws: ``SchemaError`` if a format or direction does not suit its column's type, or if the
  ///   label names an unsuitable column.
  func checkFormats() throws(SchemaError) {
    for column in columns {
      if let format = column.format {
        guard format.isInRange else { throw .badFormat(format, column: column.name) }
        guard format.fits(column.type) else { throw .formatOfOtherType(format, column: column.name, column.type) }
      }
      if column.better != nil, column.type != .integer, column.type != .number {
        throw .betterWithoutNumbers(column: column.name, column.type)
      }
    }
    if let label {
      guard let column = columns.first(where: { $0.name == label }) else { throw .noSuchLabel(label) }
      guard column.type != .image, column.type != .series else { throw .unreadableLabel(label, column.type) }
    }
  }
}
