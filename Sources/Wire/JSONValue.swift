/// Any JSON text, as a tree: what a client sent, before it is known to be a message.
///
/// Client messages are small (docs/protocol.md bounds them), so a tree is affordable; what the server sends is written directly.
enum JSONValue {
  case null
  case boolean(Bool)
  /// A number without fraction or exponent that 64 bits hold.
  case integer(Int64)
  /// Any other number; always finite.
  case number(Double)
  case text(String)
  case array([JSONValue])
  /// In the order in which the members stand; of members with equal names the last one counts, as in every browser.
  case object([(name: String, value: JSONValue)])

  /// What a person would call it in a complaint.
  var kind: String {
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
  /// The whole number that it is; `7.0` and `7e0` are whole too, as they are for JavaScript.
  var whole: Int64? {
    switch self {
    case .integer(let integer): integer
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }
}
