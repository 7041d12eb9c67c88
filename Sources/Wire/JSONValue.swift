/// A parsed JSON value.
///
/// A tree is affordable here because docs/protocol.md limits client messages to a small size.
/// Messages to clients are encoded directly. Schemas of plugins are small, too.
package enum JSONValue {
  case null
  case boolean(Bool)
  /// A number without fraction and exponent that fits in 64 bits.
  case integer(Int64)
  /// Any other number, always finite.
  case number(Double)
  case text(String)
  case array([JSONValue])
  /// The members in source order; among members with equal names the last one counts.
  case object([(name: String, value: JSONValue)])

  /// The name of the value's type, for error messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer, .number: "a number"
    case .text: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// The value as an integer; `nil` if it is not integral.
  ///
  /// `7.0` and `7e0` are integral, too, as in JavaScript.
  var whole: Int64? {
    switch self {
    case .integer(let integer): integer
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }
}
