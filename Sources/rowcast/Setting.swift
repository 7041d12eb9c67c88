import ArgumentParser

/// A plugin setting, from an argument `--set NAME.KEY=VALUE` or the configuration file.
struct Setting: ExpressibleByArgument {
  var plugin: String
  var key: String
  var value: String

  /// Creates a setting that comes from the configuration file.
  init(plugin: String, key: String, value: String) {
    self.plugin = plugin
    self.key = key
    self.value = value
  }

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), let dot = argument[..<equals].firstIndex(of: ".") else {
      return nil
    }
    plugin = String(argument[..<dot])
    key = String(argument[argument.index(after: dot)..<equals])
    value = String(argument[argument.index(after: equals)...])
    guard !plugin.isEmpty, !key.isEmpty else { return nil }
  }
}
