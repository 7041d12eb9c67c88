/// How a child process that speaks the protocol introduces itself.
struct ChildHello {
  /// What it can do: `health`, `commits`, and what later versions of it can that we do not know.
  var capabilities: Set<String> = []
  /// What it says its settings are; `nil` when it says nothing, and then it is handed what there is.
  var settings: SettingRules?
  /// What in its description of its settings makes no sense, and is not counted.
  private(set) var settingFaults: [String] = []

  init(_ message: JSONElement) {
    if let list = message["capabilities"] {
      for item in list.items.prefix(100) {
        if let text = item.text { capabilities.insert(text) }
      }
    }
    if let schema = message["settings"], schema.kind == .object {
      settings = SettingRules(schema)
      settingFaults = SettingRules.faults(in: schema)
    }
  }
}
