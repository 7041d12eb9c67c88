import CListPlugin

/// One wish to have something done. The host has checked its arguments: all are there, and of their kinds.
public struct ActionRequest: Sendable {
  /// The row; nil for the table as a whole.
  public let key: Key?
  /// The arguments, by their names.
  public let arguments: [String: ActionValue]

  /// A wish; for tests of an action.
  public init(key: Key? = nil, arguments: [String: ActionValue] = [:]) {
    self.key = key
    self.arguments = arguments
  }

  init(_ request: list_request, of action: Action) {
    key = Key(request.key)
    var values: [String: ActionValue] = [:]
    for (index, argument) in action.arguments.enumerated() where index < Int(request.argument_count) {
      guard let cell = request.arguments?[index] else { continue }
      switch cell.type {
      case LIST_INTEGER.rawValue: values[argument.name] = .integer(cell.integer)
      case LIST_NUMBER.rawValue: values[argument.name] = .number(cell.number)
      case LIST_BOOLEAN.rawValue: values[argument.name] = .boolean(cell.integer != 0)
      case LIST_TEXT.rawValue: values[argument.name] = .text(cell.string)
      default: break
      }
    }
    arguments = values
  }

  /// A whole number that was said.
  public func integer(_ name: String) -> Int64? {
    if case .integer(let value)? = arguments[name] { value } else { nil }
  }

  /// A number that was said.
  public func number(_ name: String) -> Double? {
    switch arguments[name] {
    case .number(let value)?: value
    case .integer(let value)?: Double(value)
    default: nil
    }
  }

  /// A text that was said.
  public func text(_ name: String) -> String? {
    if case .text(let value)? = arguments[name] { value } else { nil }
  }

  /// Whether yes was said; nil when nothing was.
  public func boolean(_ name: String) -> Bool? {
    if case .boolean(let value)? = arguments[name] { value } else { nil }
  }
}
