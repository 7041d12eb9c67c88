import Glibc

/// Paths of the files that belong to the command.
enum Installation {
  /// The running executable.
  static let executable: String = {
    guard let path = realpath("/proc/self/exe", nil) else { return "rowcast" }
    defer { free(path) }
    return String(cString: path)
  }()

  /// The directory of the running executable.
  static let folder = parent(of: executable)

  /// Returns the parent directory of a path.
  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Returns the directory of the page's files.
  ///
  /// It is looked for next to the executable, in the package's data directory, and in the
  /// repository that the command was built from.
  static func webFolder(source: String = #filePath) -> String? {
    let repository = parent(of: parent(of: parent(of: source)))
    return ["\(folder)/web", "\(folder)/../share/rowcast/web", "\(repository)/web"].first {
      access("\($0)/index.html", R_OK) == 0
    }
  }

  /// Returns the directory of the presets of `rowcast watch`, which is next to that of the page.
  static func presetsFolder(source: String = #filePath) -> String? {
    let repository = parent(of: parent(of: parent(of: source)))
    return ["\(folder)/presets", "\(folder)/../share/rowcast/presets", "\(repository)/presets"].first {
      access("\($0)/df.yaml", R_OK) == 0
    }
  }

  /// The directories of plugins that are programs: the package's and the repository's.
  static let pluginFolders = folders()

  private static func folders(source: String = #filePath) -> [String] {
    ["\(folder)/../share/rowcast/plugins", "\(parent(of: parent(of: parent(of: source))))/Plugins"]
  }

  /// Returns the places of an executable that is built with the command.
  static func builtFiles(_ name: String) -> [String] { ["\(folder)/\(name)", "\(folder)/../lib/rowcast/\(name)"] }

  /// Returns the path of a plugin: a shared library, or a program.
  ///
  /// A path is resolved. A name is that of a ``BundledProgram``, or of a library next to the
  /// executable.
  static func pluginPath(_ nameOrPath: String) -> String {
    if nameOrPath.contains("/") {
      guard let path = realpath(nameOrPath, nil) else { return nameOrPath }
      defer { free(path) }
      return String(cString: path)
    }
    if let program = BundledProgram.named(nameOrPath) { return program.path }
    let candidates = builtFiles("lib\(nameOrPath).so")
    return candidates.first { access($0, R_OK) == 0 } ?? candidates[0]
  }

  /// Returns the name of a plugin: `market` for `market`, `./libmarket.so` and `/a/market.so`.
  static func pluginName(_ nameOrPath: String) -> String {
    var name = nameOrPath.split(separator: "/").last ?? ""
    if name.hasSuffix(".so") { name.removeLast(3) }
    if nameOrPath.contains("/"), name.hasPrefix("lib") { name.removeFirst(3) }
    return String(name)
  }
}
