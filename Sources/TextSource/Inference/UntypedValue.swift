import ListEngine
import Wire

/// A value of a row without a schema.
enum UntypedValue: Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  /// A whole number beyond `Int64`, as written.
  case great(String)
  case text(String)
  case series([Double])
  /// Any other value, as JSON text.
  case other(String)

  /// Converts a JSON value.
  ///
  /// A list of numbers becomes a series; other lists and objects stay JSON text.
  init(_ element: JSONElement) {
    switch element.kind {
    case .null: self = .null
    case .yes: self = .boolean(true)
    case .no: self = .boolean(false)
    case .text: self = .text(element.text!)
    case .signed: self = .integer(element.integer!)
    case .unsigned: self = .great("\(element.unsigned!)")
    case .number: self = .number(element.number!)
    case .list:
      let numbers = element.items.map { $0.number }
      let isSeries = !numbers.isEmpty && numbers.allSatisfy { $0 != nil } && numbers.count <= Limits().cellBytes / 8
      self = isSeries ? .series(numbers.map { $0! }) : .other(element.written)
    case .object: self = .other(element.written)
    }
  }

  /// The value as shown in a text column.
  var written: String {
    switch self {
    case .null: ""
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .number(let value): Self.written(value)
    case .text(let value), .other(let value), .great(let value): value
    case .series(let value): "[\(value.map(Self.written).joined(separator: ","))]"
    }
  }

  /// The name of the value's type in messages.
  var name: String {
    switch self {
    case .null: "empty"
    case .boolean: "a boolean"
    case .integer, .number, .great: "a number"
    case .text: "a text"
    case .series: "a list of numbers"
    case .other: "a list or an object"
    }
  }

  /// Formats a number, without a fraction if it is whole.
  static func written(_ value: Double) -> String {
    value.magnitude < 0x1p53 && value == value.rounded() ? "\(Int64(value))" : "\(value)"
  }
}

extension JSONElement {
  /// The value as compact JSON text.
  var written: String {
    switch kind {
    case .object:
      "{\(members.map { "\(Self.quoted(String(decoding: $0.name, as: UTF8.self))):\($0.value.written)" }.joined(separator: ","))}"
    case .list: "[\(items.map(\.written).joined(separator: ","))]"
    case .text: Self.quoted(text!)
    default: isNull ? "null" : UntypedValue(self).written
    }
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.text(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
