import Glibc

/// A data source that is delivered with the command as a program, and is referred to by its name.
///
///     rowcast serve --plugin logs --set logs.path=/var/log/syslog
///
///     sources:
///       - postgres: orders
///         settings: {service: shop}
struct BundledProgram {
  /// The name of the plugin, which is also its key in a configuration file.
  var name: String
  /// The path of the program below the folder of plugins, or the name of a built executable.
  var file: String
  /// The setting whose value follows the key in a configuration file, such as `table`.
  var mainSetting: String

  static let all = [
    BundledProgram(name: "postgres", file: "postgres/postgres.py", mainSetting: "table"),
    BundledProgram(name: "sqlite", file: "sqlite/sqlite.py", mainSetting: "path"),
    BundledProgram(name: "duckdb", file: "duckdb/duck.py", mainSetting: "path"),
    BundledProgram(name: "logs", file: "logs", mainSetting: "path"),
    BundledProgram(name: "stream", file: "stream/stream.py", mainSetting: "stream"),
    BundledProgram(name: "http", file: "http/endpoint.py", mainSetting: "url"),
  ]

  static func named(_ name: String) -> BundledProgram? { all.first { $0.name == name } }

  /// The path of the program; where none is installed, the first path that was tried.
  var path: String {
    let candidates =
      file.contains("/") ? Installation.pluginFolders.map { "\($0)/\(file)" } : Installation.builtFiles(file)
    return candidates.first { access($0, X_OK) == 0 } ?? candidates[0]
  }
}
