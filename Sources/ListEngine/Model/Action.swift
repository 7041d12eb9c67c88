/// An operation that a table's source offers on a row or on the whole table.
public struct Action: Hashable, Codable, Sendable {
  /// The action's identifier, unique in its table.
  public var name: String
  /// The label shown to users.
  public var title: String
  /// The question that users must confirm first, or an empty string.
  public var confirm: String
  /// Whether the action is destructive.
  public var isDangerous: Bool
  /// Whether the action applies to a row rather than to the table.
  public var appliesToRows: Bool
  /// The arguments, in the order of the form.
  public var arguments: [ActionArgument]
  /// The time within which the source must answer.
  public var patience: Duration
  /// The name of another action of the table that tries the same arguments without effect, if
  /// there is one. Its result appears in the form, and it has no menu item.
  public var trial: String?

  /// The default for ``patience``.
  public static let standardPatience: Duration = .seconds(30)

  /// Creates an action that by default applies to a row.
  ///
  /// An empty title defaults to the name.
  public init(
    _ name: String, title: String = "", confirm: String = "", isDangerous: Bool = false, appliesToRows: Bool = true,
    arguments: [ActionArgument] = [], patience: Duration = Action.standardPatience, trial: String? = nil
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.confirm = confirm
    self.isDangerous = isDangerous
    self.appliesToRows = appliesToRows
    self.arguments = arguments
    self.patience = patience
    self.trial = trial
  }

  /// Returns all arguments in declaration order, with default values for omitted ones.
  ///
  /// - Throws: ``ActionFault`` if an argument is unknown, missing or invalid.
  public func complete(_ given: [(name: String, value: Cell)]) throws(ActionFault) -> [(name: String, value: Cell)] {
    for (name, _) in given where !arguments.contains(where: { $0.name == name }) {
      throw ActionFault(reason: "“\(self.name)” has no argument “\(name.prefix(100))”")
    }
    var complete: [(name: String, value: Cell)] = []
    for argument in arguments {
      // As in all messages, the last duplicate counts, and null counts as omitted.
      if let value = given.last(where: { $0.name == argument.name })?.value, value != .null {
        complete.append((argument.name, try argument.checked(value)))
      } else if let value = argument.standard {
        complete.append((argument.name, value))
      } else {
        throw ActionFault(reason: "the argument “\(argument.name)” is missing")
      }
    }
    return complete
  }
}

/// An argument of an ``Action``.
public struct ActionArgument: Hashable, Codable, Sendable {
  /// The type of an argument.
  public enum Kind: String, Codable, Sendable {
    /// An integer within ±(2^53−1).
    case integer
    /// A floating-point number.
    case number
    /// A string of at most ``ActionArgument/greatestText`` characters.
    case text
    /// A boolean.
    case boolean
  }

  /// The maximum number of Unicode scalars in a text.
  public static let greatestText = 1_000
  /// The maximum magnitude of an integer.
  public static let greatestInteger: Int64 = (1 << 53) - 1

  /// The argument's name, unique in its action.
  public var name: String
  /// The label shown to users.
  public var label: String
  /// The type of the value.
  public var kind: Kind
  /// The permitted values; any value if empty.
  public var choices: [Cell]
  /// The default value, or `nil` if the argument is required.
  public var standard: Cell?
  /// The smallest permitted number.
  public var minimum: Double?
  /// The largest permitted number.
  public var maximum: Double?

  /// Creates an argument.
  ///
  /// It is required unless it has a default value, and an empty label defaults to the name.
  public init(
    _ name: String, _ kind: Kind, label: String = "", choices: [Cell] = [], standard: Cell? = nil,
    minimum: Double? = nil, maximum: Double? = nil
  ) {
    self.name = name
    self.label = label.isEmpty ? name : label
    self.kind = kind
    self.choices = choices
    self.standard = standard
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Returns the value converted to the argument's type.
  ///
  /// - Throws: ``ActionFault`` if the value is invalid.
  public func checked(_ value: Cell) throws(ActionFault) -> Cell {
    let fitting = try converted(value)
    guard choices.isEmpty || choices.contains(fitting) else {
      throw ActionFault(reason: "the argument “\(name)” is none of its choices")
    }
    guard let size = Self.size(of: fitting) else { return fitting }
    if let minimum, size < minimum {
      throw ActionFault(reason: "the argument “\(name)” must be at least \(Self.written(minimum))")
    }
    if let maximum, size > maximum {
      throw ActionFault(reason: "the argument “\(name)” must be at most \(Self.written(maximum))")
    }
    return fitting
  }

  private func converted(_ value: Cell) throws(ActionFault) -> Cell {
    switch (kind, value) {
    case (.integer, .integer(let integer)) where integer.magnitude <= UInt64(Self.greatestInteger): return value
    // As in JavaScript, 7.0 is an integer.
    case (.integer, .number(let number)):
      if let integer = Int64(exactly: number), integer.magnitude <= UInt64(Self.greatestInteger) {
        return .integer(integer)
      }
    case (.number, .number), (.boolean, .boolean): return value
    case (.number, .integer(let integer)): return .number(Double(integer))
    case (.text, .text(let text)):
      guard text.utf8.count > Self.greatestText, text.unicodeScalars.count > Self.greatestText else { return value }
      throw ActionFault(reason: "the argument “\(name)” has more than \(Self.greatestText) characters")
    default: break
    }
    let wanted =
      switch kind {
      case .integer: "a whole number within ±\(Self.greatestInteger)"
      case .number: "a number"
      case .text: "a text"
      case .boolean: "true or false"
      }
    throw ActionFault(reason: "the argument “\(name)” must be \(wanted)")
  }

  private static func size(of value: Cell) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// Returns a bound formatted for display.
  private static func written(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
