import ArgumentParser
import Foundation
import Glibc
import ListEngine
import Logging
import Recording
import Server

/// The command `rowcast replay`.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replays a recording of “rowcast serve --record”, or verifies it.",
    discussion: """
      Without --verify, serves the tables with their recorded changes, at any speed. With it, serves nothing: a new engine \
      takes all recorded inputs, and each of its answers must equal the recorded one byte for byte.
      """)

  @Argument(help: ArgumentHelp("The recording.", valueName: "file"))
  var file: String

  @Flag(help: "Compare every answer and report the result; exit with 0 if all are equal, else with 1.")
  var verify = false

  @Option(
    help: ArgumentHelp("The speed, as a multiple of the recorded one; 0 for as fast as possible.", valueName: "factor"))
  var speed = 1.0

  @OptionGroup var options: ServeOptions

  func validate() throws {
    guard speed >= 0, speed.isFinite else { throw ValidationError("--speed must be 0 or more, not \(speed)") }
    try options.refuseSources("replay")
    guard options.publish == nil else {
      throw ValidationError("rowcast replay does not publish tables: remove --publish")
    }
    guard options.record == nil else { throw ValidationError("rowcast replay has no --record") }
  }

  func run() throws {
    do {
      if verify { try verifyAll() } else { try serve() }
    } catch let error as RecordingError {
      throw EnvironmentFailure(description: "\(file): \(error)")
    }
  }

  private func verifyAll() throws {
    let report = try Verification.run(path: file)
    let length = (Double(report.length.nanoseconds) / 1e9).formatted(
      .number.precision(.fractionLength(1)).locale(Locale(identifier: "en")))
    let what = "\(report.records) records, \(report.answers) answers, \(report.outputs) messages in \(length) s"
    if let difference = report.firstDifference {
      throw EnvironmentFailure(
        description: "\(file): the answer in record \(difference) differs (\(what) so far)")
    }
    announce("\(what): all equal" + (report.isTorn ? "; the file ends within a record" : ""))
  }

  private func serve() throws {
    let settings = try options.settings()
    guard settings.publish == nil, settings.from == nil else {
      throw ValidationError("rowcast replay neither publishes tables nor relays them: remove publish and from")
    }
    let output = LogOutput()
    output.change(settings)
    LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
    FileLimit.raise(forClients: ServerConfiguration().sessionLimit)
    let replay = try SourceReplay(path: file)
    let server: Server
    let logger: Logger
    let tokenPath: String?
    do {
      let access = try Access(settings)
      var configuration = try ServerConfiguration(settings, access)
      logger = configuration.logger
      configuration.limits = replay.header.limits
      if let interval = settings.interval { configuration.limits.interval = .milliseconds(interval) }
      server = try Server(configuration)
      tokenPath = try access.publish(settings, port: server.port)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
    let feed = ReplayFeed(path: file, speed: speed, control: server.control, logger: logger)
    feed.start()
    announce("listening on \(getenv("JOURNAL_STREAM") == nil ? server.loginURL() : server.url)")
    server.run()
    if let tokenPath { unlink(tokenPath) }
    // Exit instead of returning, because the feed's thread may be sleeping.
    Glibc.exit(0)
  }
}
