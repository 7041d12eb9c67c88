import Foundation
import ListTesting
import Testing

/// Windowed tables, with the seeds of ``SimulationTests``.
@Suite struct WindowedSimulationTests {
  @Test func everyPageShowsWhatItsSourceHas() async throws {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["ROWCAST_SEED"].flatMap(UInt64.init) {
      var simulation = WindowedSimulation(seed: one)
      try simulation.run()
      return print("windowed seed \(one): \(simulation.coverage)")
    }
    let count = environment["ROWCAST_SEEDS"].flatMap(Int.init) ?? 300
    let workers = ProcessInfo.processInfo.activeProcessorCount
    let total = try await withThrowingTaskGroup(of: WindowedSimulation.Coverage.self) { group in
      for worker in 0..<workers {
        group.addTask {
          var total = WindowedSimulation.Coverage()
          for seed in stride(from: 1 + worker, through: count, by: workers) where !Task.isCancelled {
            var simulation = WindowedSimulation(seed: UInt64(seed))
            try simulation.run()
            total = total + simulation.coverage
          }
          return total
        }
      }
      return try await group.reduce(WindowedSimulation.Coverage(), +)
    }
    print("windowed seeds 1...\(count): \(total)")
    // A simulation in which nothing happens proves nothing.
    for (what, number) in [
      ("requests", total.requests), ("cancels", total.cancels), ("failures", total.failures),
      ("placeholders", total.placeholders), ("anchored", total.anchored), ("shifts", total.shifts),
      ("refusals", total.refusals), ("windows", total.windows), ("grouped", total.grouped),
      ("remainders", total.remainders),
    ] {
      #expect(number >= count / 30, "only \(number) \(what) in \(count) seeds")
    }
  }
}
