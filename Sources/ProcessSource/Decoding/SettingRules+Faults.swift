import SourceRuntime

extension SettingRules {
  /// Returns the problems in a JSON Schema of settings, for the plugin's author.
  ///
  /// The host ignores unsupported rules at run time, so that a newer program works with an older
  /// host.
  static func faults(in schema: JSONElement) -> [String] {
    var faults: [String] = []
    var names: Set<String> = []
    if let properties = schema["properties"] {
      guard properties.kind == .object else { return ["settings.properties is \(properties.name), not an object"] }
      for (name, value) in properties.members {
        let name = String(decoding: name, as: UTF8.self)
        names.insert(name)
        if let fault = fault(in: value) { faults.append("settings.properties.\(name)\(fault)") }
      }
    }
    if let required = schema["required"] {
      guard required.kind == .list else { return faults + ["settings.required is \(required.name), not a list"] }
      for item in required.items {
        guard let name = item.text, !names.contains(name), schema["additionalProperties"]?.boolean != true else {
          continue
        }
        faults.append("settings.required names “\(name)”, which is not among the properties")
      }
    }
    return faults
  }

  private static func fault(in rule: JSONElement) -> String? {
    guard rule.kind == .object else { return " is \(rule.name), not an object" }
    if let type = rule["type"], type.text.flatMap(Kind.init) == nil {
      return ".type is none of string, integer, number, boolean, array, object"
    }
    if let values = rule["enum"], values.kind != .list { return ".enum is \(values.name), not a list" }
    for member in ["minimum", "maximum"] as [StaticString] {
      if let bound = rule[member], bound.number == nil { return ".\(member) is \(bound.name), not a number" }
    }
    if let minimum = rule["minimum"]?.number, let maximum = rule["maximum"]?.number, minimum > maximum {
      return ".minimum is more than its maximum"
    }
    return nil
  }
}
