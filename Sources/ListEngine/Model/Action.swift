/// Something that a table's source can do when it is asked: to a row, or to the table as a whole.
public struct Action: Hashable, Codable, Sendable {
  /// What pages and the source call it; unique in its table.
  public var name: String
  /// What people choose; the name when empty.
  public var title: String
  /// What people are asked before; nothing when empty.
  public var confirm: String
  /// Whether it destroys something.
  public var isDangerous: Bool
  /// Whether it is done to a row.
  public var appliesToRows: Bool
  /// What has to be said besides, in the order of a form.
  public var arguments: [ActionArgument]
  /// How long the source may take.
  public var patience: Duration

  /// The standard time that a source may take.
  public static let standardPatience: Duration = .seconds(30)

  /// Something that is done to a row, unless told otherwise.
  public init(
    _ name: String, title: String = "", confirm: String = "", isDangerous: Bool = false, appliesToRows: Bool = true,
    arguments: [ActionArgument] = [], patience: Duration = Action.standardPatience
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.confirm = confirm
    self.isDangerous = isDangerous
    self.appliesToRows = appliesToRows
    self.arguments = arguments
    self.patience = patience
  }

  /// All arguments in the action's order: those that were said, and the standard values of the others.
  ///
  /// - Throws: ``ActionFault`` for one that is unknown, missing, or beyond what it may be.
  public func complete(_ said: [(name: String, value: Cell)]) throws(ActionFault) -> [(name: String, value: Cell)] {
    for (name, _) in said where !arguments.contains(where: { $0.name == name }) {
      throw ActionFault(reason: "“\(self.name)” has no argument “\(name.prefix(100))”")
    }
    var complete: [(name: String, value: Cell)] = []
    for argument in arguments {
      // As everywhere in messages the last one of a name counts, and null is as if nothing was said.
      if let value = said.last(where: { $0.name == argument.name })?.value, value != .null {
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

/// One thing that has to be said for an ``Action``.
public struct ActionArgument: Hashable, Codable, Sendable {
  /// What kind of value it is.
  public enum Kind: String, Codable, Sendable {
    /// A whole number within ±(2^53−1).
    case integer
    /// A number.
    case number
    /// A text of at most ``ActionArgument/greatestText`` characters.
    case text
    /// Yes or no.
    case boolean
  }

  /// How many characters (Unicode scalars) a text may have.
  public static let greatestText = 1_000
  /// How large a whole number may be.
  public static let greatestInteger: Int64 = (1 << 53) - 1

  /// What it is called; unique in its action.
  public var name: String
  /// What people read; the name when empty.
  public var label: String
  /// What kind of value it is.
  public var kind: Kind
  /// The only values that it can have; any when empty.
  public var choices: [Cell]
  /// What it is when nothing is said; `nil` when it must be said.
  public var standard: Cell?
  /// The least number, itself included.
  public var minimum: Double?
  /// The greatest number, itself included.
  public var maximum: Double?

  /// An argument that must be said, unless it has a standard value.
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

  /// The value as one of its kind.
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
    // 7.0 is whole, too, as it is for JavaScript.
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

  /// A bound as people write it.
  private static func written(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
