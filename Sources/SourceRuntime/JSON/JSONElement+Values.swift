import ListEngine
import Wire

/// Conversion of JSON values to cells and text, without regard to a column.
extension JSONElement {
  /// The value as a cell of its own type; null for lists and objects.
  package var plain: Cell {
    if let boolean { return .boolean(boolean) }
    if let integer { return .integer(integer) }
    if let number { return .number(number) }
    return text.map { .text($0) } ?? .null
  }

  /// The value as a tree.
  package var tree: JSONValue {
    switch kind {
    case .object: .object(members.map { (String(decoding: $0.name, as: UTF8.self), $0.value.tree) })
    case .list: .array(items.map(\.tree))
    case .text: .text(text!)
    case .yes: .boolean(true)
    case .no: .boolean(false)
    case .null: .null
    case .signed, .unsigned, .number: integer.map { .integer($0) } ?? .number(number!)
    }
  }

  /// Returns an object with those of its members that have these names, as a tree.
  package func tree(of names: [String]) -> JSONValue {
    .object(
      members.compactMap { name, value in
        let name = String(decoding: name, as: UTF8.self)
        return names.contains(name) ? (name, value.tree) : nil
      })
  }

  /// Returns the value as a row key; `nil` when it does not fit.
  package func key(as type: KeyType) -> RowKey? {
    switch type {
    case .integer: integer.map { .integer($0) }
    case .text: text.map { .text($0) }
    }
  }

  /// The value as compact JSON text.
  package var written: String {
    switch kind {
    case .object:
      "{\(members.map { "\(Self.quoted(String(decoding: $0.name, as: UTF8.self))):\($0.value.written)" }.joined(separator: ","))}"
    case .list: "[\(items.map(\.written).joined(separator: ","))]"
    case .text: Self.quoted(text!)
    case .signed: "\(integer!)"
    case .unsigned: "\(unsigned!)"
    case .number: Self.written(number!)
    case .yes: "true"
    case .no: "false"
    case .null: "null"
    }
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.text(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Formats a number, without a fraction if it is whole.
  package static func written(_ value: Double) -> String {
    value.magnitude < 0x1p53 && value == value.rounded() ? "\(Int64(value))" : "\(value)"
  }
}
