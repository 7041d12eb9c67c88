import ArgumentParser
import CAllocator
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
    let options = options
    if !options.command.isEmpty, Child(words: options.command) == nil {
      throw ValidationError(
        "\(options.command[0]): its name cannot be a table's; give it one with --child name=command")
    }
    try Self.serve(try options.settings(), rereading: options.rereading, isOpening: options.open) {
      settings, control, ending, reloading in
      let keeper = SourceKeeper(control, ending, tokenFile: settings.tokenFile)
      do {
        try keeper.start(settings.sources!)
      } catch let error as PluginError {
        // What the operator wrote is the command's fault, a file that does not fit is the world's.
        if case .badSetting = error { throw ValidationError("--set \(error)") }
        throw EnvironmentFailure(description: "\(error)")
      }
      reloading.keep(keeper)
    }
  }

  /// Serves what `startFeeds` starts; until the server runs that gets no further than its inlets hold.
  func run(_ startFeeds: (Settings, ServerControl, Ending) throws -> Void) throws {
    let options = options
    try Self.serve(try options.settings(), rereading: options.rereading, isOpening: options.open) {
      settings, control, ending, _ in
      try startFeeds(settings, control, ending)
    }
  }

  /// Serves by these settings; `showing`: what the address shows, behind its `#`; `rereading`: reads the settings again at
  /// SIGHUP; without it there is nothing to read, and SIGHUP ends the server; `isOpening`: opens the address in a browser.
  static func serve(
    _ settings: Settings, showing view: String = "", rereading: (@Sendable () throws -> Settings)? = nil,
    isOpening: Bool = false, _ startFeeds: (Settings, ServerControl, Ending, Reloading) throws -> Void
  ) throws {
    if let refusal = settings.refusal(ofUser: geteuid()) { throw ValidationError(refusal) }
    protectOwnMemory()
    let output = LogOutput(isQueued: true)
    defer { output.flush() }
    output.change(settings)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
    // libwebsockets closes one of its descriptors twice in the end, and what somebody has opened between the two is closed with it. Dispatch
    // dies of that: it is to have its own descriptors from the beginning, which a timer makes it open.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
    FileLimit.raise(forPages: ServerConfiguration().sessionLimit)
    _ = allocator_return_blocks_from(1 << 17)  // or what a source has said once would stay for ever
    let ending = Ending()
    let reloading = Reloading(settings, output: output, read: rereading ?? { settings })
    let (server, access) = try makeServer(settings, ending, rereading == nil ? nil : reloading)
    // Before the first library is loaded.
    CrashFile.keep()
    try startFeeds(settings, server.control, ending, reloading)
    let tokenPath: String?
    do {
      tokenPath = try access.publish(settings, port: server.port)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
    reloading.serve(server.control)
    let entry = RunningServers.enter(
      RunningServer(port: settings.unix == nil ? server.port : 0, url: server.url, tokenFile: tokenPath))
    if let tokenPath { reloading.watchTokens(at: tokenPath) }
    server.recording?.begin()
    // What a journal keeps must let nobody in.
    announce("listening on \(getenv("JOURNAL_STREAM") == nil ? server.loginURL() : server.url)\(view)")
    if isOpening { Browser.open("\(server.loginURL())\(view)") }
    server.run()
    entry?.remove()
    // A port that the system has chosen does not come again, and nor do its pages.
    if let tokenPath, settings.tokenFile == nil, settings.unix == nil, settings.port == 0 { unlink(tokenPath) }
    ending.finish()
    server.recording?.close()
    output.flush()
    // Not a return: what a plugin still does in its own threads must not keep the process.
    Glibc.exit(0)
  }

  private static func makeServer(_ settings: Settings, _ ending: Ending, _ reloading: Reloading?) throws -> (
    Server, Access
  ) {
    do {
      let access = try Access(settings)
      var configuration = try ServerConfiguration(settings, access)
      configuration.onStopping = { ending.begin() }
      if let reloading { configuration.onHangUp = { reloading.begin() } }
      configuration.systemManager = SystemManager()
      if let record = settings.record {
        let epoch = Server.randomEpoch()
        configuration.epoch = epoch
        configuration.recording = try Recording(
          path: record, RecordingHeader(epoch: epoch, limits: configuration.limits), logger: configuration.logger)
      }
      return (try Server(configuration), access)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
  }
}
