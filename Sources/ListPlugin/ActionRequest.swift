import CListPlugin

/// A request to run an action.
///
/// The host has checked the arguments: all of them are present and have the right type.
public struct ActionRequest: Sendable {
  /// The row's key; nil for a request on the whole table.
  public let key: Key?
  /// The arguments by name.
  public let arguments: [String: ActionValue]

  /// Creates a request, for tests of an action.
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

  /// Returns the value of an integer argument, or nil.
  public func integer(_ name: String) -> Int64? {
    if case .integer(let value)? = arguments[name] { value } else { nil }
  }

  /// Returns the value of a number or integer argument, or nil.
  public func number(_ name: String) -> Double? {
    switch arguments[name] {
    case .number(let value)?: value
    case .integer(let value)?: Double(value)
    default: nil
    }
  }

  /// Returns the value of a text argument, or nil.
  public func text(_ name: String) -> String? {
    if case .text(let value)? = arguments[name] { value } else { nil }
  }

  /// Returns the value of a Boolean argument, or nil.
  public func boolean(_ name: String) -> Bool? {
    if case .boolean(let value)? = arguments[name] { value } else { nil }
  }
}
