import ArgumentParser
import Logging
import ProcessSource
import Server
import SourceRuntime

/// The command `rowcast plugin replay FILE`.
struct PluginReplay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replays a trace of “rowcast plugin run --trace”.",
    discussion: "The plugin is not started, and need not be installed.")

  @Argument(help: ArgumentHelp("The trace.", valueName: "file"))
  var file: String

  @Option(
    help: ArgumentHelp("The speed, as a multiple of the recorded one; 0 for as fast as possible.", valueName: "factor"))
  var speed = 1.0

  @OptionGroup var page: PageOptions

  func validate() throws {
    guard speed >= 0, speed.isFinite else { throw ValidationError("--speed must be 0 or more, not \(speed)") }
  }

  func run() throws {
    try Serve.serve(page.settings, showing: LogTable.besideTheFirst) { [file, speed] _, control, ending, _, _ in
      let inlet = control.addSource("replay")
      let table = LogTable(control)
      let log = SourceLog("replay")
      let source = TraceSource(
        file, name: "replay", speed: speed,
        log: { level, message in
          log.log(Logger.Level(level), message)
          table.add("\(level)", message)
        },
        events: { event in
          let isAccepted = inlet.report(event)
          if case .schema = event { table.open() }
          return isAccepted
        })
      do {
        try ending.start(TraceFeed(source: source))
      } catch let error as PluginError {
        throw EnvironmentFailure(description: "\(error)")
      }
    }
  }
}

/// A trace source as a feed.
private struct TraceFeed: Feed {
  let source: TraceSource
  func start() throws { try source.start() }
  func stop() { source.stop(within: .seconds(1)) }
}
