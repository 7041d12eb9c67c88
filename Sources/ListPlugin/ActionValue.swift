/// What is said for an argument of an action.
public enum ActionValue: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// A whole number.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// A text.
  case text(String)
  /// Yes or no.
  case boolean(Bool)

  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Yes or no.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
