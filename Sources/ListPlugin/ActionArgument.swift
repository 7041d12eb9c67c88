/// One thing that has to be said for an ``Action``.
///
///     ActionArgument("nice", .integer, label: "Niceness", standard: 10, minimum: -20, maximum: 19)
public struct ActionArgument: Hashable, Sendable {
  /// What kind of value it is.
  public enum Kind: UInt32, Sendable {
    // The numbers of `enum list_type`; a test compares them.

    /// A whole number within ±(2^53−1).
    case integer = 2
    /// A number.
    case number = 3
    /// A text of at most 1,000 characters.
    case text = 4
    /// Yes or no.
    case boolean = 5
  }

  /// What it is called; unique in its action.
  public var name: String
  /// What kind of value it is.
  public var kind: Kind
  /// What people read; the name when empty.
  public var label: String
  /// The only values that it can have; any when empty.
  public var choices: [ActionValue]
  /// What it is when nothing is said; nil when it must be said.
  public var standard: ActionValue?
  /// The least number, itself included.
  public var minimum: Double?
  /// The greatest number, itself included.
  public var maximum: Double?

  /// An argument that must be said, unless it has a standard value.
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
