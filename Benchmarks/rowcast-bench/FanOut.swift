import ArgumentParser

/// W4: the cost of keeping real WebSocket clients of a real server process up to date.
struct FanOut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w4",
    abstract: "W4 fan-out: a server and so many viewers over WebSockets, each with a window of 60 rows.")

  @Option(help: "How many viewers.") var viewers = 100
  @Option(help: "How long is measured, after three seconds that are not.") var seconds = 10.0
  @Option(help: "How many rows.") var rows = 100_000
  @Option(help: "The viewers' least time between two patches, in milliseconds; left out: the server's.") var interval:
    Int?
  @Option(help: "How many batches a second.") var hz = 10.0
  @Option(help: "How many updates a batch.") var batch = 100
  @Flag(help: "All look at one and the same window: the newest rows.") var same = false
  @Flag(help: "A viewer whose window moves with what it reads goes back at once, as windows of other engines stay.")
  var fixed = false
  @Flag(help: "Afterwards, the rate of a bare libwebsockets program with frames of the same size.") var bare = false

  func run() throws { try FanOutBenchmark(options: self).run() }
}

/// The server of W4, in its own process.
struct FanOutServing: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "w4-server", shouldDisplay: false)

  @Option var viewers: Int
  @Option var rows: Int
  @Option var hz: Double
  @Option var batch: Int
  @Option var seconds: Double

  func run() throws { try FanOutServer(rows: rows, viewers: viewers, hz: hz, batch: batch, seconds: seconds).run() }
}
