import CListPlugin
import ListEngine

extension FlatCell {
  /// Reads a single cell passed by a plugin.
  init(_ cell: list_cell) {
    var copy = cell
    self = withUnsafeBytes(of: &copy) { FlatCell($0.baseAddress!, 0) }
  }

  /// A copy of the value; `nil` when it is malformed.
  var cell: Cell? {
    guard fault(limit: Limits().cellBytes) == nil else { return nil }
    switch type {
    case LIST_NULL.rawValue: return .null
    case LIST_INTEGER.rawValue: return .integer(integer)
    case LIST_NUMBER.rawValue:
      let number = Double(bitPattern: payload)
      return number.isFinite ? .number(number) : .null
    case LIST_BOOLEAN.rawValue: return .boolean(payload != 0)
    case LIST_TIMESTAMP.rawValue: return .timestamp(integer)
    case LIST_TEXT.rawValue: return String(validating: bytes(length), as: UTF8.self).map { .text($0) }
    case LIST_IMAGE.rawValue: return String(validating: bytes(length), as: UTF8.self).map { .image($0) }
    case LIST_SERIES.rawValue: return .series(Array(numbers))
    default: return nil
    }
  }

  /// Returns the value as a row key; `nil` when it does not fit.
  func key(as wanted: KeyType) -> RowKey? {
    switch (cell, wanted) {
    case (.integer(let value)?, .integer): .integer(value)
    case (.text(let value)?, .text): .text(value)
    default: nil
    }
  }
}
