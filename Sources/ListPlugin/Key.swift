import CListPlugin

/// The key of a row that a source is asked about.
public enum Key: Hashable, Sendable, CustomStringConvertible {
  /// Of a table with whole numbers for keys.
  case integer(Int64)
  /// Of a table with texts for keys.
  case text(String)

  /// The whole number; nil when it is a text.
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The text; nil when it is a whole number.
  public var text: String? { if case .text(let value) = self { value } else { nil } }

  /// For people.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .text(let value): value
    }
  }

  /// Copied from a cell of the host's; nil for none.
  init?(_ cell: list_cell) {
    switch cell.type {
    case LIST_INTEGER.rawValue: self = .integer(cell.integer)
    case LIST_TEXT.rawValue: self = .text(cell.string)
    default: return nil
    }
  }

  /// Calls `body` with it as a cell of C, valid as long as that runs.
  func withCell<Result>(_ body: (inout list_cell) -> Result) -> Result {
    switch self {
    case .integer(let value):
      var cell = list_integer(value)
      return body(&cell)
    case .text(let value):
      var text = value
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          var cell = list_null()
          cell.type = LIST_TEXT.rawValue
          cell.length = UInt32(characters.count)
          cell.text = characters.baseAddress
          return body(&cell)
        }
      }
    }
  }
}

extension list_cell {
  /// The text that it holds, copied.
  var string: String {
    let bytes = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(length))
    return String(decoding: bytes, as: UTF8.self)
  }
}
