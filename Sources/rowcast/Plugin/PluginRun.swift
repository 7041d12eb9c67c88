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
      A folder with a Makefile is built first. The plugin runs as a program of its own, a shared library too. When its \
      file changes, a new instance starts, and replaces the old one with its first complete list. The table “log” has \
      the lines that the plugin writes to standard error.
      """)

  @OptionGroup var choice: PluginChoice
  @OptionGroup var page: PageOptions

  @Option(
    help: ArgumentHelp(
      "Record the messages between host and plugin in this file, for rowcast plugin replay; replaces an older trace.",
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
      [trace] _, control, ending, _, _ in
      let feed = RunFeed(
        command, name: name, settings: settings, files: files, trace: trace, control: control)
      try ending.start(feed)
    }
  }
}
