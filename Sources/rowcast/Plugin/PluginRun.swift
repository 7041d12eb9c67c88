import ArgumentParser
import Glibc
import ProcessSource
import Server
import SourceRuntime

/// The command `rowcast plugin run PATH`.
struct PluginRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Shows one plugin in the browser with its log, and reloads it when its file changes.",
    discussion: """
      A folder with a Makefile is built first. The plugin runs as a program of its own, a shared library too. When its file is written the new one is started beside the old one, and takes
      over with its first whole list. The table “log” has what it writes to standard error.
      """)

  @OptionGroup var choice: PluginChoice
  @OptionGroup var page: PageOptions

  @Option(
    help: ArgumentHelp(
      "Keep all that is said between host and plugin in this file, for rowcast plugin replay. A trace that was in it is lost.",
      valueName: "file"))
  var trace: String?

  func run() throws {
    let command = try choice.program()
    let files = try choice.files()
    var trace: TraceWriter?
    if let path = self.trace {
      do throws(PluginError) {
        trace = try TraceWriter(path) { complain("\(path): \($0)") }
      } catch {
        throw EnvironmentFailure(description: "\(error)")
      }
    }
    let name = choice.tableName
    let settings = choice.settings
    try Serve.serve(page.settings, showing: LogTable.besideTheFirst, isOpening: page.open) {
      [trace] _, control, ending, _ in
      let feed = RunFeed(
        command, name: name, settings: settings, files: files, trace: trace, control: control)
      try ending.start(feed)
    }
  }
}
