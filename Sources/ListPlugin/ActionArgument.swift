/// A parameter of an ``Action``.
///
///     ActionArgument("nice", .integer, label: "Niceness", standard: 10, minimum: -20, maximum: 19)
public struct ActionArgument: Hashable, Sendable {
  /// The type of an argument's value.
  public enum Kind: UInt32, Sendable {
    // The values of `enum list_type`; a test compares them.

    /// A whole number within ±(2^53−1).
    case integer = 2
    /// A number.
    case number = 3
    /// A text of at most 1,000 characters.
    case text = 4
    /// A Boolean.
    case boolean = 5
  }

  /// The argument's identifier; unique in its action.
  public var name: String
  /// The type of its value.
  public var kind: Kind
  /// The label that users see; the name when empty.
  public var label: String
  /// The allowed values; any value is allowed when empty.
  public var choices: [ActionValue]
  /// The default value; nil if the user must enter one.
  public var standard: ActionValue?
  /// The inclusive lower bound of a number.
  public var minimum: Double?
  /// The inclusive upper bound of a number.
  public var maximum: Double?

  /// Creates an argument that is required unless it has a standard value.
  public init(
    _ name: String, _ kind: Kind, label: String = "", choices: [ActionValue] = [], standard: ActionValue? = nil,
    minimum: Double? = nil, maximum: Double? = nil
  ) {
    self.name = name
    self.kind = kind
    self.label = label
    self.choices = choices
    self.standard = standard
    self.minimum = minimum
    self.maximum = maximum
  }
}
