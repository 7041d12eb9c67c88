/// Puts together the records of a table of values between commas (RFC 4180) or tabs, line by line: a value in quotes may have several lines.
///
///     var record = DelimitedRecord(separator: UInt8(ascii: ","))
///     if record.take(line) { use(record.takeFields()) }
struct DelimitedRecord {
  /// A record that is longer is cut into lines again: a quote that is never closed must not swallow all that follows.
  static let limit = 1 << 20

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

  /// Takes one line; whether a record has ended with it.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    if isQuoted {
      field.append(0x0A)
    } else {
      fields = []
      field = []
      bytes = 0
    }
    bytes += line.count
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
    guard !isQuoted || bytes > Self.limit else { return false }
    isQuoted = false
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
