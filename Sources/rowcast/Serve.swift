import ArgumentParser
import Dispatch
import Glibc
import ListEngine
import Logging
import PluginHost
import Server

/// `rowcast serve`
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the page and the tables until it is told to stop.")

  @OptionGroup var options: ServeOptions

  func run() throws {
    let options = options
    let settings = try options.settings()
    let output = LogOutput()
    output.change(settings)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
    FileLimit.raise(forPages: ServerConfiguration().sessionLimit)
    let ending = Ending()
    let reloading = Reloading(settings, output: output) { try options.settings() }
    let (server, tokenPath) = try makeServer(settings, ending, reloading)
    try startFeeds(settings, server.control, ending)
    reloading.serve(server.control)
    // What a journal keeps must let nobody in.
    announce("listening on \(getenv("JOURNAL_STREAM") == nil ? server.loginURL() : server.url)")
    server.run()
    if let tokenPath { unlink(tokenPath) }
    ending.finish()
    // Not a return: what a plugin still does in its own threads must not keep the process.
    Glibc.exit(0)
  }

  private func makeServer(_ settings: Settings, _ ending: Ending, _ reloading: Reloading) throws -> (Server, String?) {
    var configuration = ServerConfiguration()
    configuration.address = settings.address
    configuration.port = settings.port ?? Settings.standardPort
    configuration.publicURLs = (settings.publicURLs ?? []).compactMap { PublicURL($0) }
    configuration.isReadOnly = settings.readOnly ?? false
    configuration.limits.interval = .milliseconds(settings.interval ?? Settings.standardInterval)
    configuration.endsOnSignals = true
    configuration.onStopping = { ending.begin() }
    configuration.onHangUp = { reloading.begin() }
    configuration.systemManager = SystemManager()
    configuration.logger = Logger(label: "rowcast")
    if let chain = settings.tlsCertificate, let key = settings.tlsKey {
      configuration.certificate = Certificate(chain: chain, key: key)
    }
    do {
      let access = try Access(settings)
      configuration.tokens = access.tokens
      if let folder = settings.web ?? Installation.webFolder() {
        configuration.page = try PageFiles(folder: folder)
      } else {
        configuration.logger.warning("the page is not installed; name its folder with --web")
      }
      let server = try Server(configuration)
      return (server, try access.publish(settings, port: server.port))
    } catch {
      throw WorldError(description: "\(error)")
    }
  }

  /// Loads and starts the plugins; until the server runs they get no further than their inlets hold.
  private func startFeeds(_ settings: Settings, _ control: ServerControl, _ ending: Ending) throws {
    do {
      let feeds = try settings.sources!.map { source in
        let name = Installation.pluginName(source.plugin)
        return try PluginFeed(
          source.plugin, settings: source.settings.map { Setting(plugin: name, key: $0.key, value: $0.value) },
          control: control)
      }
      for feed in feeds { try ending.start(feed) }
    } catch let error as PluginError {
      // What the operator wrote is the command's fault, a file that does not fit is the world's.
      if case .badSetting = error { throw ValidationError("--set \(error)") }
      throw WorldError(description: "\(error)")
    }
  }
}
