/// The value of an action's argument.
public enum ActionValue: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// A whole number.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// A text.
  case text(String)
  /// A Boolean.
  case boolean(Bool)

  /// Creates an integer value.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a number value.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates a text value.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
