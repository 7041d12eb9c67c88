import ArgumentParser

/// The language of a new plugin.
enum PluginLanguage: String, ExpressibleByArgument, CaseIterable {
  case c, swift, python, shell

  /// Returns the file name of the plugin that can be run: the build product or the script.
  func product(_ name: String) -> String {
    switch self {
    case .c, .swift: "lib\(name).so"
    case .python: "\(name).py"
    case .shell: "\(name).sh"
    }
  }

  /// Whether the plugin must be built.
  var isBuilt: Bool { self == .c || self == .swift }
}
