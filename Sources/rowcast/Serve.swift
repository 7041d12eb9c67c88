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

  @OptionGroup var options: ServeOptions

  func run() throws {
    try run { settings, control, ending in try startFeeds(settings, control, ending) }
  }

  /// Serves what `startFeeds` starts; until the server runs that gets no further than its inlets hold.
  func run(_ startFeeds: (Settings, ServerControl, Ending) throws -> Void) throws {
    let options = options
    let settings = try options.settings()
    let output = LogOutput()
    output.change(settings)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
    FileLimit.raise(forPages: ServerConfiguration().sessionLimit)
    let ending = Ending()
    let reloading = Reloading(settings, output: output) { try options.settings() }
    let (server, access) = try makeServer(settings, ending, reloading)
    try startFeeds(settings, server.control, ending)
    let tokenPath: String?
    do {
      tokenPath = try access.publish(settings, port: server.port)
    } catch {
      throw WorldError(description: "\(error)")
    }
    reloading.serve(server.control)
    // What a journal keeps must let nobody in.
    announce("listening on \(getenv("JOURNAL_STREAM") == nil ? server.loginURL() : server.url)")
    server.run()
    if let tokenPath { unlink(tokenPath) }
    ending.finish()
    server.recording?.close()
    // Not a return: what a plugin still does in its own threads must not keep the process.
    Glibc.exit(0)
  }

  private func makeServer(_ settings: Settings, _ ending: Ending, _ reloading: Reloading) throws -> (Server, Access) {
    do {
      let access = try Access(settings)
      var configuration = try ServerConfiguration(settings, access)
      configuration.onStopping = { ending.begin() }
      configuration.onHangUp = { reloading.begin() }
      configuration.systemManager = SystemManager()
      if let record = settings.record {
        let epoch = Server.randomEpoch()
        configuration.epoch = epoch
        configuration.recording = try Recording(
          path: record, RecordingHeader(epoch: epoch, limits: configuration.limits), logger: configuration.logger)
      }
      return (try Server(configuration), access)
    } catch {
      throw WorldError(description: "\(error)")
    }
  }

  /// Loads and starts the sources that were chosen.
  private func startFeeds(_ settings: Settings, _ control: ServerControl, _ ending: Ending) throws {
    do {
      let feeds: [any Feed] = try settings.sources!.map { source in
        guard let child = source.child else {
          return try PluginFeed(source.plugin, settings: source.flags, control: control)
        }
        if child.isPlugin { try child.command.checkTrust() }
        return ChildFeed(child, settings: source.flags, control: control)
      }
      for feed in feeds { try ending.start(feed) }
    } catch let error as PluginError {
      // What the operator wrote is the command's fault, a file that does not fit is the world's.
      if case .badSetting = error { throw ValidationError("--set \(error)") }
      throw WorldError(description: "\(error)")
    }
  }
}
