import ListEngine

/// Conversion of JSON values without regard to a column.
extension JSONElement {
  /// The value as a cell of its own type; null for lists and objects.
  var plain: Cell {
    if let boolean { return .boolean(boolean) }
    if let integer { return .integer(integer) }
    if let number { return .number(number) }
    return text.map { .text($0) } ?? .null
  }

  /// Returns the value as a row key; `nil` when it does not fit.
  func key(as type: KeyType) -> RowKey? {
    switch type {
    case .integer: integer.map { .integer($0) }
    case .text: text.map { .text($0) }
    }
  }
}
