import ArgumentParser

/// The engine's workloads, one command each; what they are is said in Benchmarks/README.md.
@main struct RowcastBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rowcast-bench",
    abstract: "Runs a workload on the table `quotes` and prints one JSON object a line.",
    subcommands: [Load.self, UpdateAndWindow.self])
}

/// W1: how fast rows get into an empty table, and what they weigh there.
struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w1", abstract: "W1 load: all rows through the plugin contract into an empty table.")

  @Option(help: "How many rows.") var rows = 1_000_000

  func run() throws { try LoadBenchmark(rows: rows).run() }
}

/// W2: what a batch of updates costs until the patch for a page is on the wire.
struct UpdateAndWindow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w2", abstract: "W2 update and window: batches of updates, and the patch for 60 rows after each.")

  @Option(help: "How many rows.") var rows = 1_000_000
  @Option(help: "Seconds for each measurement, at most.") var seconds = 4.0
  @Option(help: "Only this view: sort, filter or group.") var mode: ViewMode?
  @Flag(help: "Put the window into the middle instead of at the top.") var middle = false

  func run() throws { try UpdateBenchmark(rows: rows, seconds: seconds, only: mode, isInMiddle: middle).run() }
}
