import ArgumentParser

/// The engine's workloads, one command each. Benchmarks/README.md describes them.
@main struct RowcastBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rowcast-bench",
    abstract: "Runs a workload on the table `quotes` and prints one JSON object a line.",
    subcommands: [
      Load.self, UpdateAndWindow.self, NewView.self, Churn.self, Glance.self, WholeListAgain.self, Turns.self,
      FanOut.self, FanOutServing.self, CompareSecrets.self,
    ])
}

/// W1: the speed of loading rows into an empty table, and their memory.
struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w1", abstract: "W1 load: all rows through the plugin contract into an empty table.")

  @Option(help: "How many rows.") var rows = 1_000_000
  @Flag(help: "Through the contract of child processes: JSON lines from a pipe.") var child = false

  func run() throws { try LoadBenchmark(rows: rows, isChild: child).run() }
}

/// W2: the cost of a batch of updates until the patch for a client is encoded.
struct UpdateAndWindow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w2", abstract: "W2 update and window: batches of updates, and the patch for 60 rows after each.")

  @Option(help: "How many rows.") var rows = 1_000_000
  @Option(help: "Seconds for each measurement, at most.") var seconds = 4.0
  @Option(help: "Only this view: sort, filter or group.") var mode: ViewMode?
  @Flag(help: "Put the window into the middle instead of at the top.") var middle = false

  func run() throws { try UpdateBenchmark(rows: rows, seconds: seconds, only: mode, isInMiddle: middle).run() }
}

/// W3: the time until a new view shows rows, and the delay for other clients.
struct NewView: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w3", abstract: "W3 a new view: from asking to the first 60 rows, and the longest turn meanwhile.")

  @Option(help: "How many rows.") var rows = 1_000_000
  @Option(help: "Only queries whose name contains this.") var only = ""
  @Option(help: "How often each of them is asked.") var rounds = 3

  func run() throws { try NewViewBenchmark(rows: rows, only: only, rounds: rounds).run() }
}

/// W5: insertions and deletions over a long time.
struct Churn: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w5", abstract: "W5 churn: 50 rows come, 100 change and 50 go with each batch.")

  @Option(help: "How many rows.") var rows = 100_000
  @Option(help: "How many batches; 100000 shows whether memory is flat.") var batches = 300

  func run() throws { try ChurnBenchmark(rows: rows, batches: batches).run() }
}

/// W6: the cost of the figures and marks that show at a glance what is unusual.
struct Glance: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "w6", abstract: "W6 at a glance: the processor time of the strip, histories, rules and facets.")

  @Option(help: "How many rows.") var rows = 1_000_000
  @Option(help: "How many updates a second.") var rate = 10_000
  @Option(help: "For how many seconds of engine time.") var seconds = 15
  @Option(help: "How many values a history keeps.") var history = 30
  @Option(help: "Only this case, next to the plain one: strip, history, rules, all or facets.") var only: [GlanceCase] =
    []

  func run() throws {
    try GlanceBenchmark(rows: rows, rate: rate, seconds: seconds, history: history, only: only).run()
  }
}

/// Bounded turns: many different views of a fast-changing table.
struct Turns: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "turns", abstract: "Fifty different views, 100,000 updates a second: how long is a turn of the loop?")

  @Option(help: "How many rows.") var rows = 1_000_000
  @Option(help: "How many updates a second.") var rate = 100_000
  @Option(help: "For how many seconds.") var seconds = 10.0

  func run() throws { try TurnsBenchmark(rows: rows, rate: rate, seconds: seconds).run() }
}

/// D1: a source that reloads its whole list repeatedly.
struct WholeListAgain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "d1", abstract: "D1 reload: the difference of a whole list, by key.")

  @Option(help: "How many rows.") var rows = 100_000
  @Option(help: "How often.") var runs = 5

  func run() throws { try ReloadBenchmark(rows: rows, runs: runs).run() }
}
