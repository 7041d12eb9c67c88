import ArgumentParser
import Foundation
import Glibc
import ProcessSource
import SourceRuntime

/// The arguments that select a plugin: a path, or a command after `--`.
struct PluginChoice: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The plugin: a program's file, a shared library, or the folder that “rowcast plugin new” created.",
      valueName: "path"
    ))
  var path: String?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Or a program with its arguments, after --.", valueName: "command"))
  var command: [String] = []

  @Option(help: ArgumentHelp("A setting of the plugin; may be given several times.", valueName: "key=value"))
  var set: [String] = []

  func validate() throws {
    guard (path == nil) != command.isEmpty else {
      throw ValidationError("missing plugin: give its path, or a command after --")
    }
    for pair in set where (pair.firstIndex(of: "=") ?? pair.startIndex) == pair.startIndex {
      throw ValidationError("--set must be key=value, not \(pair)")
    }
  }

  /// The plugin's settings by key.
  var settings: [String: String] {
    var settings: [String: String] = [:]
    for pair in set {
      let equals = pair.firstIndex(of: "=")!
      settings[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
    }
    return settings
  }

  /// The plugin's name in reports.
  var name: String { path ?? command.joined(separator: " ") }

  /// The default name of the plugin's table.
  var tableName: String {
    let word =
      folder.flatMap { try? PluginFolder($0, named: path!).product() } ?? path ?? command.first {
        FileManager.default.fileExists(atPath: $0) && !$0.hasPrefix("/bin/")
      } ?? command[0]
    let name = Installation.pluginName(word.contains("/") ? word : "./" + word).split(separator: ".").first.map(
      String.init)
    return name.flatMap { Child.isName($0) ? $0 : nil } ?? "plugin"
  }

  /// Returns the files to watch for changes: the plugin's file, or the files in its command line.
  func files() throws -> [String] {
    if let file = try file() { return [file] }
    return command.compactMap { word in
      guard let found = realpath(word, nil) else { return nil }
      defer { free(found) }
      let path = String(cString: found)
      return FileStamp(path) == nil ? nil : path
    }
  }

  /// The resolved path, if it is a directory.
  private var folder: String? {
    guard let path, let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    var status = stat()
    return stat(found, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? String(cString: found) : nil
  }

  /// Returns the path of the plugin's file, or `nil` if the plugin is a command.
  ///
  /// For a folder this is the plugin in it.
  ///
  /// - Throws: ``EnvironmentFailure`` if the file does not exist.
  func file() throws -> String? {
    guard let path else { return nil }
    if let folder { return try PluginFolder(folder, named: path).product() }
    guard let found = realpath(path, nil) else { throw EnvironmentFailure(description: "\(path): no such file") }
    defer { free(found) }
    return String(cString: found)
  }

  /// Builds the plugin if necessary, and returns the command that runs it.
  ///
  /// - Throws: ``EnvironmentFailure`` if the program does not exist or is not executable.
  func program() throws -> ChildCommand {
    if let folder { try PluginFolder(folder, named: path!).build() }
    guard let file = try file() else { return ChildCommand(command[0], Array(command.dropFirst())) }
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw EnvironmentFailure(description: "\(path!): not a file")
    }
    if file.hasSuffix(".so") {
      var command = ChildCommand(Installation.executable, ["plugin-host", file])
      // In production a library has all rights of the server, too.
      command.isolation = .light
      return command
    }
    guard access(file, X_OK) == 0 else {
      throw EnvironmentFailure(description: "\(path!): not executable (chmod +x)")
    }
    return ChildCommand(file)
  }
}
