import ArgumentParser
import Foundation

/// The command `rowcast plugin new NAME --language LANGUAGE`.
struct PluginNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Creates a folder with a working plugin.",
    discussion: "It builds, passes the exam (rowcast plugin check), and shows a table. Its README explains how.")

  @Argument(help: ArgumentHelp("The name of the plugin and of its folder.", valueName: "name"))
  var name: String

  @Option(help: "The language: c, swift, python or shell.")
  var language: PluginLanguage

  @Option(help: ArgumentHelp("The folder to create it in.", valueName: "folder"))
  var into = "."

  func validate() throws {
    guard Child.isName(name) else { throw ValidationError("a name has 1 to 64 letters, digits, - and _; not \(name)") }
  }

  func run() throws {
    let folder = URL(filePath: into).appending(path: name)
    let files = FileManager.default
    guard !files.fileExists(atPath: folder.path) else {
      throw EnvironmentFailure(description: "\(folder.path) exists already: choose another name")
    }
    do {
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      for file in try PluginTemplate(name, language).files() {
        let place = folder.appending(path: file.path)
        try files.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: place)
        if file.isProgram { try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path) }
      }
    } catch let error as EnvironmentFailure {
      throw error
    } catch {
      throw EnvironmentFailure(description: "\(folder.path): \(error.localizedDescription)")
    }
    announce("created \(folder.path); next:")
    let place = folder.relativePath
    announce("  rowcast plugin check \(place)")
    announce("  rowcast plugin run \(place)")
  }
}
