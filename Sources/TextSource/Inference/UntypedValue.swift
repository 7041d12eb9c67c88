import ListEngine
import SourceRuntime

/// A value of a row without a schema.
package enum UntypedValue: Hashable {
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
  package init(_ element: JSONElement) {
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
  package var written: String {
    switch self {
    case .null: ""
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .number(let value): JSONElement.written(value)
    case .text(let value), .other(let value), .great(let value): value
    case .series(let value): "[\(value.map(JSONElement.written).joined(separator: ","))]"
    }
  }

  /// The name of the value's type in messages.
  package var name: String {
    switch self {
    case .null: "empty"
    case .boolean: "a boolean"
    case .integer, .number, .great: "a number"
    case .text: "a text"
    case .series: "a list of numbers"
    case .other: "a list or an object"
    }
  }
}
