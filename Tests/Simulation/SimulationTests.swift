import Foundation
import ListTesting
import Testing

/// `ROWCAST_SEEDS=100000` for more, `ROWCAST_SEED=42` for one.
@Suite struct SimulationTests {
  @Test func everyPageShowsWhatAPlainTableShows() throws {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["ROWCAST_SEED"].flatMap(UInt64.init) {
      var simulation = Simulation(seed: one)
      return try simulation.run()
    }
    let count = environment["ROWCAST_SEEDS"].flatMap(UInt64.init) ?? 300
    var total = Simulation.Coverage()
    for seed in 1...count {
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
    }
    print("seeds 1...\(count): \(total)")
    // A simulation in which nothing happens proves nothing.
    for (what, number) in [
      ("windows", total.windows), ("patches", total.patches), ("moves", total.moves), ("updates", total.updates),
      ("shifts", total.shifts), ("resyncs", total.resyncs), ("headers", total.headers), ("partial", total.partial),
      ("folds", total.folds),
    ] {
      #expect(number >= Int(count) / 30, "only \(number) \(what) in \(count) seeds")
    }
  }
}
