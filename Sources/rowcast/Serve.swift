import ArgumentParser
import Dispatch
import Glibc
import ListEngine
import Logging
import PluginHost
import Recording
import Server

/// `rowcast serve`
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the page and the tables until it is told to stop.")

  @OptionGroup var access: AccessOptions

  @Option(
    help: ArgumentHelp(
      "The folder with the page; the one that was installed with rowcast if left out.", valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp(
      "A data source: the name or path of a shared library, or the path of a program; may be given several times. (default: processes)",
      valueName: "name-or-path"))
  var plugin: [String] = []

  @Option(
    help: ArgumentHelp(
      "A program that is a data source, as a line for the shell; may be given several times.", valueName: "name=command"
    ))
  var child: [Child] = []

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("A program that is a data source, with its arguments, after --.", valueName: "command"))
  var command: [String] = []

  @Option(help: ArgumentHelp("A plugin's configuration; may be given several times.", valueName: "name.key=value"))
  var set: [Setting] = []

  @Option(help: ArgumentHelp("The least time between two patches of a page, in milliseconds.", valueName: "ms"))
  var interval = 300

  @Option(
    help: ArgumentHelp(
      "Keep all that happens in this file, for rowcast replay. What was in it is lost.", valueName: "file"))
  var record: String?

  @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
  var logLevel = "info"

  func validate() throws {
    guard (0...60_000).contains(interval) else {
      throw ValidationError("--interval must be between 0 and 60000, not \(interval)")
    }
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level must be trace, debug, info, notice, warning, error or critical")
    }
    if !command.isEmpty, Child(words: command) == nil {
      throw ValidationError("\(command[0]): its name cannot be a table's; give it one with --child name=command")
    }
    for setting in set where !sourceNames.contains(setting.plugin) {
      throw ValidationError("--set \(setting.plugin).\(setting.key): no plugin of this name is served")
    }
    if Set(sourceNames).count < sourceNames.count { throw ValidationError("--plugin: the same plugin twice") }
  }

  /// The shared libraries.
  private var libraries: [String] {
    plugin.isEmpty && child.isEmpty && command.isEmpty ? ["processes"] : plugin.filter { Child(plugin: $0) == nil }
  }
  /// The programs.
  private var children: [Child] {
    plugin.compactMap { Child(plugin: $0) } + child
      + (command.isEmpty ? [] : [Child(words: command)].compactMap(\.self))
  }
  private var sourceNames: [String] { libraries.map(Installation.pluginName) + children.map(\.name) }

  func run() throws {
    let level = Logger.Level(rawValue: logLevel)!
    LoggingSystem.bootstrap { label in
      var handler = LineLogHandler(label: label)
      handler.logLevel = level
      return handler
    }
    FileLimit.raise(forPages: ServerConfiguration().sessionLimit)
    let ending = Ending()
    let server = try makeServer(onStopping: { ending.begin() })
    try startFeeds(server.control, ending)
    let tokenPath = try publishTokens(of: server)
    // What a journal keeps must let nobody in.
    announce("listening on \(getenv("JOURNAL_STREAM") == nil ? server.loginURL() : server.url)")
    server.run()
    if let tokenPath { unlink(tokenPath) }
    ending.finish()
    server.recording?.close()
    // Not a return: what a plugin still does in its own threads must not keep the process.
    Glibc.exit(0)
  }

  private func makeServer(onStopping: @escaping @Sendable () -> Void) throws -> Server {
    var configuration = ServerConfiguration()
    configuration.limits.interval = .milliseconds(interval)
    configuration.endsOnSignals = true
    configuration.onStopping = onStopping
    configuration.logger = Logger(label: "rowcast")
    do {
      try access.apply(to: &configuration)
      if let folder = web ?? Installation.webFolder() {
        configuration.page = try PageFiles(folder: folder)
      } else {
        configuration.logger.warning("the page is not installed; name its folder with --web")
      }
      if let record {
        let epoch = Server.randomEpoch()
        configuration.epoch = epoch
        configuration.recording = try Recording(
          path: record, RecordingHeader(epoch: epoch, limits: configuration.limits), logger: configuration.logger)
      }
      return try Server(configuration)
    } catch {
      throw WorldError(description: "\(error)")
    }
  }

  private func publishTokens(of server: Server) throws -> String? {
    do {
      return try access.publish(server.tokens, port: server.port)
    } catch {
      throw WorldError(description: "\(error)")
    }
  }

  /// Loads and starts the plugins; until the server runs they get no further than their inlets hold.
  private func startFeeds(_ control: ServerControl, _ ending: Ending) throws {
    do {
      let libraries = try libraries.map { try PluginFeed($0, settings: set, control: control) }
      let children = children.map { ChildFeed($0, settings: set, control: control) }
      for feed in libraries { try ending.start(feed) }
      for feed in children { try ending.start(feed) }
    } catch let error as PluginError {
      // What the operator wrote is the command's fault, a file that does not fit is the world's.
      if case .badSetting = error { throw ValidationError("--set \(error)") }
      throw WorldError(description: "\(error)")
    }
  }
}
