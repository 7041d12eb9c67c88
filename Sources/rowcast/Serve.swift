import ArgumentParser
import CSystem
import Dispatch
import Glibc
import ListEngine
import Logging
import ProcessSource
import Recording
import Server
import SourceRuntime

/// The command `rowcast serve`.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the page and the tables until it is stopped.")

  @OptionGroup var options: ServeOptions

  func run() throws {
    let options = options
    if !options.command.isEmpty, Child(words: options.command) == nil {
      throw ValidationError(
        "\(options.command[0]): its name is not valid for a table; give it one with --child name=command")
    }
    try Self.serve(try options.settings(), rereading: options.rereading, isOpening: options.open) {
      settings, control, ending, reloading, cluster in
      guard cluster.relay == nil else { return try cluster.start(control, ending) }
      if let problem = settings.sources!.lazy.compactMap(\.text?.problem).first {
        throw EnvironmentFailure(description: problem)
      }
      let keeper = SourceKeeper(
        control, ending, tokenFile: settings.tokenFile, publisher: cluster.publisher)
      do {
        try keeper.start(settings.sources!, showsStatus: settings.status ?? false)
      } catch let error as PluginError {
        // A bad setting is a usage error; a file that does not fit is an environment failure.
        if case .badSetting = error { throw ValidationError("--set \(error)") }
        throw EnvironmentFailure(description: "\(error)")
      }
      reloading.keep(keeper)
      try cluster.start(control, ending)
    }
  }

  /// Serves these sources instead of those of the options.
  static func serve(_ sources: [Settings.Source], with options: ServeOptions) throws {
    try serve(try options.settings(), rereading: options.rereading, isOpening: options.open) {
      settings, control, ending, _, cluster in
      do {
        try SourceKeeper(control, ending, tokenFile: settings.tokenFile, publisher: cluster.publisher)
          .start(sources, showsStatus: settings.status ?? false)
        try cluster.start(control, ending)
      } catch let error as PluginError {
        throw EnvironmentFailure(description: "\(error)")
      }
    }
  }

  /// Serves with these settings until the server is stopped.
  ///
  /// - Parameters:
  ///   - view: The fragment of the printed address, with its `#`, that selects a view.
  ///   - rereading: Reads the settings again at SIGHUP. Without it SIGHUP ends the server.
  ///   - isOpening: Whether to open the address in a browser.
  static func serve(
    _ settings: Settings, showing view: String = "", rereading: (@Sendable () throws -> Settings)? = nil,
    isOpening: Bool = false, _ startFeeds: (Settings, ServerControl, Ending, Reloading, ClusterNode) throws -> Void
  ) throws {
    if let refusal = settings.refusal(ofUser: geteuid()) { throw ValidationError(refusal) }
    protectOwnMemory()
    let output = LogOutput(isQueued: true)
    defer { output.flush() }
    output.change(settings)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
    // libwebsockets closes one of its descriptors twice at shutdown. The second close hits any
    // descriptor opened in between, and Dispatch traps when it loses one. A timer makes Dispatch
    // open its own descriptors early.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
    FileLimit.raise(forClients: ServerConfiguration().sessionLimit)
    // Return large freed blocks to the system; otherwise memory from one large delivery stays
    // resident.
    _ = allocator_return_blocks_from(1 << 17)
    let ending = Ending()
    let reloading = Reloading(settings, output: output, read: rereading ?? { settings })
    let cluster = try ClusterNode(settings)
    let (server, access) = try makeServer(settings, ending, rereading == nil ? nil : reloading, cluster)
    // Must precede the loading of the first library.
    CrashFile.keep()
    try startFeeds(settings, server.control, ending, reloading, cluster)
    let tokenPath: String?
    do {
      tokenPath = try access.publish(settings, port: server.port)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
    reloading.serve(server.control)
    let entry = RunningServers.enter(
      RunningServer(port: settings.unix == nil ? server.port : 0, url: server.url, tokenFile: tokenPath))
    if let tokenPath { reloading.watchAccess(at: tokenPath) }
    server.recording?.begin()
    // Keep the login code out of the journal.
    announce("listening on \(getenv("JOURNAL_STREAM") == nil ? server.loginURL() : server.url)\(view)")
    if isOpening { Browser.open("\(server.loginURL())\(view)") }
    server.run()
    entry?.remove()
    // A port chosen by the system is not reused, so its files are useless after the run.
    if let tokenPath, settings.tokenFile == nil, settings.unix == nil, settings.port == 0 {
      unlink(tokenPath)
      unlink(SignInFile.path(besideTokens: tokenPath))
    }
    ending.finish()
    server.recording?.close()
    output.flush()
    // Exit instead of returning, because threads of plugins may still run.
    Glibc.exit(ending.exitCode)
  }

  private static func makeServer(
    _ settings: Settings, _ ending: Ending, _ reloading: Reloading?, _ cluster: ClusterNode
  ) throws -> (Server, Access) {
    do {
      let access = try Access(settings)
      var configuration = try ServerConfiguration(settings, access)
      configuration.onStopping = { ending.begin() }
      if let reloading { configuration.onHangUp = { reloading.begin() } }
      configuration.systemManager = SystemManager()
      cluster.serve(&configuration)
      if let record = settings.record {
        let epoch = configuration.epoch ?? Server.randomEpoch()
        configuration.epoch = epoch
        let header = RecordingHeader(
          epoch: epoch, limits: configuration.limits, sharesRowIDs: configuration.sharesRowIDs)
        configuration.recording = try Recording(path: record, header, logger: configuration.logger)
      }
      return (try Server(configuration), access)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
  }
}
