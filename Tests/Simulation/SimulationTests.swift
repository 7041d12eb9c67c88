import Foundation
import ListTesting
import Testing

/// `ROWCAST_SEEDS=100000` for more, `ROWCAST_SEED=42` for one.
@Suite struct SimulationTests {
  @Test func everyPageShowsWhatAPlainTableShows() throws {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["ROWCAST_SEED"].flatMap(UInt64.init) {
      var simulation = Simulation(seed: one)
      try simulation.run()
      return print("seed \(one): \(simulation.coverage)")
    }
    let count = environment["ROWCAST_SEEDS"].flatMap(UInt64.init) ?? 300
    var total = Simulation.Coverage()
    installCrashHandler()
    for seed in 1...count {
      sayOnCrash(seed: seed)
      var simulation = Simulation(seed: seed)
      try simulation.run()
      total.windows += simulation.coverage.windows
      total.patches += simulation.coverage.patches
      total.moves += simulation.coverage.moves
      total.updates += simulation.coverage.updates
      total.shifts += simulation.coverage.shifts
      total.resyncs += simulation.coverage.resyncs
      total.headers += simulation.coverage.headers
      total.folds += simulation.coverage.folds
      total.partial += simulation.coverage.partial
      total.loads += simulation.coverage.loads
      total.cancels += simulation.coverage.cancels
      total.failures += simulation.coverage.failures
      total.hits += simulation.coverage.hits
      total.evictions += simulation.coverage.evictions
      total.bounded += simulation.coverage.bounded
      total.anchored += simulation.coverage.anchored
    }
    print("seeds 1...\(count): \(total)")
    // A simulation in which nothing happens proves nothing.
    for (what, number) in [
      ("windows", total.windows), ("patches", total.patches), ("moves", total.moves), ("updates", total.updates),
      ("shifts", total.shifts), ("resyncs", total.resyncs), ("headers", total.headers), ("partial", total.partial),
      ("folds", total.folds),
      ("loads", total.loads), ("cancels", total.cancels), ("failures", total.failures), ("hits", total.hits),
      ("anchored", total.anchored), ("evictions", total.evictions), ("bounded", total.bounded),
    ] {
      #expect(number >= Int(count) / 30, "only \(number) \(what) in \(count) seeds")
    }
  }
}

/// What a crash is to leave behind: an invariant that does not hold ends the process, and would take its seed with it.
private nonisolated(unsafe) let lastWords = UnsafeMutablePointer<CChar>.allocate(capacity: 100)

private func sayOnCrash(seed: UInt64) {
  _ = "\nseed \(seed): it crashed\n  again: make simulate SEED=\(seed)\n".withCString { strncpy(lastWords, $0, 99) }
}

private func installCrashHandler() {
  lastWords.initialize(repeating: 0, count: 100)
  for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
    signal(number) { number in
      // Only what may be called here (POSIX 2.4.3): nothing that allocates.
      _ = write(2, lastWords, strlen(lastWords))
      signal(number, SIG_DFL)
      raise(number)
    }
  }
}
