import ArgumentParser
import Glibc
import LibrarySource

/// The command `rowcast plugin-host FILE.so`.
struct PluginHostCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin-host", abstract: "Runs a shared library as a program that speaks the line protocol.",
    discussion: """
      A crash of the library then ends this program, and not the server:
      rowcast serve --child clock='rowcast plugin-host /usr/lib/rowcast/libclock.so'
      """)

  @Argument(
    help: ArgumentHelp("The library: a path, or the name of a plugin in the folder of this command.", valueName: "file")
  )
  var file: String

  func run() throws {
    // Exit instead of returning, because threads of the library may still run.
    Glibc.exit(LibraryProgram.run(Installation.pluginPath(file)))
  }
}
