/// Assembles CSV (RFC 4180) or TSV records line by line.
///
/// A quoted value may span several lines.
///
///     var record = DelimitedRecord(separator: UInt8(ascii: ","))
///     if record.take(line) { use(record.takeFields()) }
struct DelimitedRecord {
  /// The maximum size of a record in bytes.
  ///
  /// A longer multi-line record is skipped up to its closing quote.
  static let limit = 1 << 20
  /// The number of bytes after which skipping ends, so that an unclosed quote does not swallow the
  /// rest.
  static let skipLimit = 64 << 20

  private let separator: UInt8
  /// Whether values may be quoted.
  ///
  /// TSV and tables with vertical bars have no quotes.
  private let hasQuotes: Bool
  private var fields: [String] = []
  private var field: [UInt8] = []
  private var isQuoted = false
  private var bytes = 0

  init(separator: UInt8) {
    self.separator = separator
    hasQuotes = separator != 0x09 && separator != 0x7C
  }

  /// Whether a record continues on the next line.
  var isOpen: Bool { isQuoted }
  /// Whether the record is too long and therefore has no fields.
  private(set) var isTooLong = false

  /// Adds one line; returns whether it completes a record.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    if isQuoted {
      field.append(0x0A)
    } else {
      fields = []
      field = []
      bytes = 0
      isTooLong = false
    }
    bytes += line.count + 1
    var place = 0
    while place < line.count {
      let byte = line[place]
      place += 1
      if isQuoted {
        if byte != 0x22 {
          field.append(byte)
        } else if place < line.count, line[place] == 0x22 {
          field.append(0x22)
          place += 1
        } else {
          isQuoted = false
        }
      } else if byte == separator {
        endField()
      } else if byte == 0x22, hasQuotes, field.allSatisfy({ $0 == 0x20 }) {
        field = []
        isQuoted = true
      } else {
        field.append(byte)
      }
    }
    if isQuoted, bytes > Self.limit { isTooLong = true }
    if isTooLong {
      fields = []
      field.removeAll(keepingCapacity: true)
      if bytes > Self.skipLimit { isQuoted = false }
      return !isQuoted
    }
    guard !isQuoted else { return false }
    endField()
    return true
  }

  private mutating func endField() {
    fields.append(String(decoding: field, as: UTF8.self))
    field.removeAll(keepingCapacity: true)
  }

  /// Returns the fields of the completed record.
  mutating func takeFields() -> [String] {
    defer { fields = [] }
    return fields
  }
}
