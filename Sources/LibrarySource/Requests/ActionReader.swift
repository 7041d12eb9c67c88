import CListPlugin
import ListEngine
import SourceRuntime

/// Converts the actions that a shared library offers.
///
/// Invalid ones are refused with a message for the plugin's author.
///
/// The rules equal those for programs.
enum ActionReader {
  /// The reason why actions are refused.
  struct Fault: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Reads `count` actions at intervals of `stride` bytes.
  static func read(
    _ actions: UnsafePointer<list_action>?, count: UInt32, stride: UInt32
  ) throws(Fault) -> [Action] {
    guard let actions else { throw Fault("the actions are NULL") }
    guard (1...ActionLimits.actions).contains(Int(count)) else {
      throw Fault("action_count must be 1 to \(ActionLimits.actions), not \(count)")
    }
    try check(stride, of: list_action.self, at: actions, "action_size")
    var result: [Action] = []
    for index in 0..<Int(count) {
      let place = UnsafeRawPointer(actions) + index * Int(stride)
      let action = try read(place.load(as: list_action.self), "action \(index)")
      guard !result.contains(where: { $0.name == action.name }) else {
        throw Fault("two actions are called '\(action.name)'")
      }
      result.append(action)
    }
    return result
  }

  /// Checks the alignment, and that each struct has at least the size of version 1 of the
  /// extension.
  private static func check<Struct>(
    _ stride: UInt32, of: Struct.Type, at place: UnsafePointer<Struct>, _ name: String
  ) throws(Fault) {
    let alignment = MemoryLayout<Struct>.alignment
    guard Int(stride) >= MemoryLayout<Struct>.size, Int(stride) % alignment == 0,
      Int(bitPattern: place) % alignment == 0
    else { throw Fault("\(name) is \(stride), \(MemoryLayout<Struct>.size) is needed") }
  }

  private static func read(_ declared: list_action, _ place: String) throws(Fault) -> Action {
    guard let name = ForeignText.name(declared.name) else {
      throw Fault("the name of \(place) must be 1 to \(ForeignText.nameLimit) bytes of UTF-8")
    }
    guard let title = ForeignText.optionalName(declared.title), let confirm = ForeignText.optionalName(declared.confirm)
    else {
      throw Fault("title and confirm of action '\(name)' must be at most \(ForeignText.nameLimit) bytes of UTF-8")
    }
    guard declared.patience_ms <= ActionLimits.patience else {
      throw Fault("patience_ms of action '\(name)' must be at most \(ActionLimits.patience)")
    }
    var action = Action(
      name, title: title, confirm: confirm, isDangerous: declared.flags & LIST_ACTION_DANGER.rawValue != 0,
      appliesToRows: declared.flags & LIST_ACTION_TABLE.rawValue == 0)
    if declared.patience_ms > 0 { action.patience = .milliseconds(declared.patience_ms) }
    guard declared.argument_count > 0 else { return action }
    guard declared.argument_count <= ActionLimits.arguments else {
      throw Fault("action '\(name)' has \(declared.argument_count) arguments, more than \(ActionLimits.arguments)")
    }
    guard let arguments = declared.arguments else { throw Fault("the arguments of action '\(name)' are NULL") }
    try check(declared.argument_size, of: list_argument.self, at: arguments, "argument_size of action '\(name)'")
    for index in 0..<Int(declared.argument_count) {
      let place = UnsafeRawPointer(arguments) + index * Int(declared.argument_size)
      let argument = try read(place.load(as: list_argument.self), "argument \(index) of action '\(name)'")
      guard !action.arguments.contains(where: { $0.name == argument.name }) else {
        throw Fault("action '\(name)' has two arguments '\(argument.name)'")
      }
      action.arguments.append(argument)
    }
    return action
  }

  private static let kinds: [UInt32: ActionArgument.Kind] = [
    LIST_INTEGER.rawValue: .integer, LIST_NUMBER.rawValue: .number, LIST_TEXT.rawValue: .text,
    LIST_BOOLEAN.rawValue: .boolean,
  ]

  private static func read(_ declared: list_argument, _ place: String) throws(Fault) -> ActionArgument {
    guard let name = ForeignText.name(declared.name), let label = ForeignText.optionalName(declared.label) else {
      throw Fault("name and label of \(place) must be at most \(ForeignText.nameLimit) bytes of UTF-8")
    }
    guard let kind = kinds[declared.type] else {
      throw Fault("\(place) has type \(declared.type), which no argument can have")
    }
    var argument = ActionArgument(name, kind, label: label)
    argument.minimum = try bound(declared.minimum, "minimum of \(place)")
    argument.maximum = try bound(declared.maximum, "maximum of \(place)")
    guard declared.choice_count <= ActionLimits.choices else {
      throw Fault("\(place) has \(declared.choice_count) choices, more than \(ActionLimits.choices)")
    }
    if declared.choice_count > 0 {
      guard let choices = declared.choices else { throw Fault("the choices of \(place) are NULL") }
      var cells: [Cell] = []
      for index in 0..<Int(declared.choice_count) {
        cells.append(try value(choices[index], argument, "choice \(index) of \(place)"))
      }
      argument.choices = cells
    }
    if declared.standard.type != LIST_NULL.rawValue {
      argument.standard = try value(declared.standard, argument, "standard of \(place)")
    }
    return argument
  }

  private static func bound(_ cell: list_cell, _ place: String) throws(Fault) -> Double? {
    switch FlatCell(cell).cell {
    case .null: return nil
    case .integer(let value): return Double(value)
    case .number(let value) where value.isFinite: return value
    default: throw Fault("\(place) is not a number")
    }
  }

  /// Reads a default or a choice, which must be a valid value of the argument.
  private static func value(_ declared: list_cell, _ argument: ActionArgument, _ place: String) throws(Fault) -> Cell {
    guard let cell = FlatCell(declared).cell else { throw Fault("\(place) is not readable") }
    do throws(ActionFault) {
      return try argument.checked(cell)
    } catch {
      throw Fault("\(place) is invalid: \(error.reason)")
    }
  }
}
