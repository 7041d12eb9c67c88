import Foundation
import ListTesting
import Testing

/// `ROWCAST_SEEDS=100000` for more, `ROWCAST_SEED=42` for one.
@Suite struct SimulationTests {
  /// Seeds that failed once, and what was wrong then.
  static let failedOnce: [(seed: UInt64, what: String)] = [
    (416, "the judge did not know by which row a page that comes back looks for its place"),
    (1018, "the judge took a hold for heard though the page that came back had no answer yet"),
    (1239, "a page that sticks to the end was to get rows of a view that was not put together that far"),
    (1525, "a client sent a time as a number that lost digits"),
    (1545, "a page that came back named a section by the number of a view that was gone"),
  ]

  @Test(arguments: failedOnce) func `seeds that failed before run without a failure`(_ seed: UInt64, _ what: String)
    throws
  {
    var simulation = Simulation(seed: seed)
    try simulation.run()
  }

  @Test func `every client shows the same as a plain table`() async throws {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["ROWCAST_SEED"].flatMap(UInt64.init) {
      var simulation = Simulation(seed: one)
      try simulation.run()
      return print("seed \(one): \(simulation.coverage)")
    }
    let count = environment["ROWCAST_SEEDS"].flatMap(Int.init) ?? 300
    let workers = min(ProcessInfo.processInfo.activeProcessorCount, greatestWorkers)
    installCrashHandler()
    // Runs share no state, so they may run concurrently. The seeds that fail are always the same.
    let outcomes = await withTaskGroup(of: Result<Simulation.Coverage, any Error>.self) { group in
      for worker in 0..<workers {
        group.addTask {
          Result {
            var total = Simulation.Coverage()
            for seed in stride(from: 1 + worker, through: count, by: workers) where !Task.isCancelled {
              sayOnCrash(seed: UInt64(seed), worker: worker)
              var simulation = Simulation(seed: UInt64(seed))
              try simulation.run()
              total.add(simulation.coverage)
            }
            return total
          }
        }
      }
      var outcomes: [Result<Simulation.Coverage, any Error>] = []
      for await outcome in group {
        outcomes.append(outcome)
        // One failure is enough: the others need not go on to the last seed.
        if case .failure = outcome { group.cancelAll() }
      }
      return outcomes
    }
    var total = Simulation.Coverage()
    for outcome in outcomes { total.add(try outcome.get()) }
    print("seeds 1...\(count): \(total)")
    // A simulation in which nothing happens proves nothing.
    for (what, number) in [
      ("windows", total.windows), ("patches", total.patches), ("moves", total.moves), ("updates", total.updates),
      ("shifts", total.shifts), ("resyncs", total.resyncs), ("headers", total.headers), ("partial", total.partial),
      ("folds", total.folds), ("waits", total.waits), ("looks", total.looks), ("holds", total.holds),
      ("resumes", total.resumes),
      ("loads", total.loads), ("cancels", total.cancels), ("failures", total.failures), ("hits", total.hits),
      ("anchored", total.anchored), ("crossings", total.crossings), ("evictions", total.evictions),
      ("tiles", total.tiles), ("facets", total.facets), ("pins", total.pins),
      ("ranges", total.ranges), ("bounded", total.bounded),
      ("exchanges", total.exchanges), ("reopened", total.reopened),
      ("refusals", total.refusals), ("hastyScrolls", total.earlyScrolls),
    ] {
      #expect(number >= count / 30, "only \(number) \(what) in \(count) seeds")
    }
  }
}

/// The maximum number of concurrent runs.
private let greatestWorkers = 16

/// The size of the line that each worker leaves for a crash.
///
/// A broken invariant ends the process, so the crash handler prints the seeds of all workers: the
/// one that crashed is unknown.
private let lineLength = 80
private nonisolated(unsafe) let lastWords = UnsafeMutablePointer<CChar>.allocate(capacity: greatestWorkers * lineLength)

private func sayOnCrash(seed: UInt64, worker: Int) {
  let line = "\nseed \(seed): crashed, or ran at the same time; again: make simulate SEED=\(seed)"
  _ = line.withCString { strncpy(lastWords + worker * lineLength, $0, lineLength - 1) }
}

private func installCrashHandler() {
  lastWords.initialize(repeating: 0, count: greatestWorkers * lineLength)
  for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
    signal(number) { number in
      // Only what may be called here (POSIX 2.4.3): nothing that allocates.
      for worker in 0..<greatestWorkers {
        let line = lastWords + worker * lineLength
        _ = write(2, line, strlen(line))
      }
      _ = write(2, "\n", 1)
      signal(number, SIG_DFL)
      raise(number)
    }
  }
}
