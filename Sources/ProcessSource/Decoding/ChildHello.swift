import SourceRuntime

/// The `hello` message of a child process that speaks the protocol.
package struct ChildHello {
  /// The capabilities: `health`, `commits`, `images`, and unknown ones of later versions.
  package var capabilities: Set<String> = []
  /// The rules for its settings, or `nil` when it declares none and accepts all settings as texts.
  package var settings: SettingRules?
  /// Problems in the declared settings.
  ///
  /// The affected rules are ignored.
  package private(set) var settingFaults: [String] = []

  package init(_ message: JSONElement) {
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
