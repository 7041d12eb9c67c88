import ListEngine
import SourceRuntime

/// Reads the actions in a child process's `schema` message.
enum ChildActions {
  /// Reads the `actions` member.
  static func read(_ list: JSONElement) throws(ChildSchema.Fault) -> [Action] {
    guard list.kind == .list else { throw fault("schema.actions is \(list.name), not a list") }
    var actions: [Action] = []
    for item in list.items {
      let action = try self.action(item, "actions[\(actions.count)]")
      guard !actions.contains(where: { $0.name == action.name }) else {
        throw fault("two actions are called “\(action.name)”")
      }
      actions.append(action)
      guard actions.count <= ActionLimits.actions else {
        throw fault("a table has at most \(ActionLimits.actions) actions")
      }
    }
    return actions
  }

  private static func action(_ item: JSONElement, _ place: String) throws(ChildSchema.Fault) -> Action {
    guard item.kind == .object else { throw fault("\(place) is \(item.name), not an object") }
    let name = try text(item, "name", place)
    guard !name.isEmpty else { throw fault("\(place).name is missing") }
    var action = Action(
      name, title: try text(item, "title", place), confirm: try text(item, "confirm", place),
      isDangerous: try flag(item, "danger", place) ?? false, appliesToRows: try flag(item, "rows", place) ?? true)
    if let patience = item["patience"] {
      guard let number = patience.integer, (1...ActionLimits.patience).contains(number) else {
        throw fault("\(place).patience must be 1 to \(ActionLimits.patience) milliseconds")
      }
      action.patience = .milliseconds(number)
    }
    if let list = item["arguments"] {
      guard list.kind == .list else { throw fault("\(place).arguments is \(list.name), not a list") }
      for item in list.items {
        let argument = try self.argument(item, "\(place).arguments[\(action.arguments.count)]")
        guard !action.arguments.contains(where: { $0.name == argument.name }) else {
          throw fault("\(place) has two arguments “\(argument.name)”")
        }
        action.arguments.append(argument)
        guard action.arguments.count <= ActionLimits.arguments else {
          throw fault("an action has at most \(ActionLimits.arguments) arguments")
        }
      }
    }
    return action
  }

  private static func argument(_ item: JSONElement, _ place: String) throws(ChildSchema.Fault) -> ActionArgument {
    guard item.kind == .object else { throw fault("\(place) is \(item.name), not an object") }
    let name = try text(item, "name", place)
    guard !name.isEmpty else { throw fault("\(place).name is missing") }
    guard let kind = item["type"]?.text.flatMap(ActionArgument.Kind.init) else {
      throw fault("\(place).type must be “integer”, “number”, “text” or “boolean”")
    }
    var argument = ActionArgument(name, kind, label: try text(item, "label", place))
    argument.minimum = try bound(item, "minimum", place)
    argument.maximum = try bound(item, "maximum", place)
    if let list = item["choices"] {
      guard list.kind == .list, list.items.contains(where: { _ in true }) else {
        throw fault("\(place).choices must be a list with something in it")
      }
      var choices: [Cell] = []
      for choice in list.items {
        choices.append(try value(choice, argument, "\(place).choices[\(choices.count)]"))
        guard choices.count <= ActionLimits.choices else {
          throw fault("an argument has at most \(ActionLimits.choices) choices")
        }
      }
      argument.choices = choices
    }
    if let standard = item["default"], !standard.isNull {
      argument.standard = try value(standard, argument, "\(place).default")
    }
    return argument
  }

  /// Reads a default or a choice, which must be a valid value of the argument.
  private static func value(
    _ element: JSONElement, _ argument: ActionArgument, _ place: String
  ) throws(ChildSchema.Fault) -> Cell {
    do throws(ActionFault) {
      return try argument.checked(element.plain)
    } catch {
      throw fault("\(place) is invalid: \(error.reason)")
    }
  }

  private static func bound(_ item: JSONElement, _ name: StaticString, _ place: String) throws(ChildSchema.Fault)
    -> Double?
  {
    guard let value = item[name], !value.isNull else { return nil }
    guard let number = value.number, number.isFinite else { throw fault("\(place).\(name) is \(value.name)") }
    return number
  }

  private static func text(_ item: JSONElement, _ name: StaticString, _ place: String) throws(ChildSchema.Fault)
    -> String
  {
    guard let value = item[name], !value.isNull else { return "" }
    guard let text = value.text, text.utf8.count <= ForeignText.nameLimit else {
      throw fault("\(place).\(name) must be a text of at most \(ForeignText.nameLimit) bytes")
    }
    return text
  }

  private static func flag(_ item: JSONElement, _ name: StaticString, _ place: String) throws(ChildSchema.Fault)
    -> Bool?
  {
    guard let value = item[name], !value.isNull else { return nil }
    guard let flag = value.boolean else { throw fault("\(place).\(name) is \(value.name)") }
    return flag
  }

  private static func fault(_ reason: String) -> ChildSchema.Fault { ChildSchema.Fault(reason: reason) }
}
