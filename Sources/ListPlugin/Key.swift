import CListPlugin

/// The key of a row.
public enum Key: Hashable, Sendable, CustomStringConvertible {
  /// A key of a table with integer keys.
  case integer(Int64)
  /// A key of a table with text keys.
  case text(String)

  /// The integer, or nil for a text key.
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The text, or nil for an integer key.
  public var text: String? { if case .text(let value) = self { value } else { nil } }

  /// The key as text.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .text(let value): value
    }
  }

  /// Copies a key from a cell; nil if the cell is neither an integer nor a text.
  init?(_ cell: list_cell) {
    switch cell.type {
    case LIST_INTEGER.rawValue: self = .integer(cell.integer)
    case LIST_TEXT.rawValue: self = .text(cell.string)
    default: return nil
    }
  }

  /// Calls `body` with the key as a C cell, which is valid during the call.
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
  /// A copy of the cell's text.
  var string: String {
    let bytes = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(length))
    return String(decoding: bytes, as: UTF8.self)
  }
}
