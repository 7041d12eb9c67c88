/// The `hello` message of a child process that speaks the protocol.
struct ChildHello {
  /// The capabilities: `health`, `commits`, `images`, and unknown ones of later versions.
  var capabilities: Set<String> = []
  /// The rules for its settings, or `nil` when it declares none and accepts all settings as texts.
  var settings: SettingRules?
  /// Problems in the declared settings.
  ///
  /// The affected rules are ignored.
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
