/// Puts together the records of a table of values between commas (RFC 4180) or tabs, line by line: a value in quotes may have several lines.
///
///     var record = DelimitedRecord(separator: UInt8(ascii: ","))
///     if record.take(line) { use(record.takeFields()) }
struct DelimitedRecord {
  /// A record of several lines that is longer is left out, up to the quote that closes it.
  static let limit = 1 << 20
  /// Behind so many bytes the next line is a record again: a quote that is never closed must not swallow all that follows.
  static let skipLimit = 64 << 20

  private let separator: UInt8
  /// Tabs are escaped, not quoted.
  private let hasQuotes: Bool
  private var fields: [String] = []
  private var field: [UInt8] = []
  private var isQuoted = false
  private var bytes = 0

  init(separator: UInt8) {
    self.separator = separator
    hasQuotes = separator != 0x09
  }

  /// Whether a record has begun that is not at its end.
  var isOpen: Bool { isQuoted }
  /// Whether the record is too long: it has no fields.
  private(set) var isTooLong = false

  /// Takes one line; whether a record has ended with it.
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

  /// The fields of the record that has ended.
  mutating func takeFields() -> [String] {
    defer { fields = [] }
    return fields
  }
}
