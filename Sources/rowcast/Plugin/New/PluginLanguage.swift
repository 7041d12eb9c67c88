import ArgumentParser

/// In what a new plugin is written.
enum PluginLanguage: String, ExpressibleByArgument, CaseIterable {
  case c, swift, python, shell

  /// The new plugin's file, as ``PluginNew`` makes it; what is built of it, or the same.
  func product(_ name: String) -> String {
    switch self {
    case .c, .swift: "lib\(name).so"
    case .python: "\(name).py"
    case .shell: "\(name).sh"
    }
  }

  /// Whether it must be built.
  var isBuilt: Bool { self == .c || self == .swift }
}
