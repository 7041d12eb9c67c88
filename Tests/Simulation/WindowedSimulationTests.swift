import Foundation
import ListTesting
import Testing

/// Windowed tables, with a quarter of the seeds of ``SimulationTests``: a run of them is slower.
@Suite struct WindowedSimulationTests {
  /// Seeds that failed once, and what was wrong then.
  static let failedOnce: [(seed: UInt64, what: String)] = [
    (332, "a source that is asked again faster than it answers never gave what came into sight"),
    (579, "a page was refused what it had asked for before"),
    (833, "the judge took the section of another one for the first item"),
    (1692, "the judge checked a source during a request, and it is asked again and again"),
    (1776, "the last page stayed as short as it was, though more followed"),
  ]

  @Test(arguments: failedOnce) func `seeds that failed before run without a failure`(_ seed: UInt64, _ what: String)
    throws
  {
    var simulation = WindowedSimulation(seed: seed)
    try simulation.run()
  }

  @Test func `every client shows the rows of its source`() async throws {
    let environment = ProcessInfo.processInfo.environment
    if let one = environment["ROWCAST_SEED"].flatMap(UInt64.init) {
      var simulation = WindowedSimulation(seed: one)
      try simulation.run()
      return print("windowed seed \(one): \(simulation.coverage)")
    }
    let count = (environment["ROWCAST_SEEDS"].flatMap(Int.init) ?? 300) / 4
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
      ("holds", total.holds), ("refusals", total.refusals), ("windows", total.windows), ("grouped", total.grouped),
      ("remainders", total.residuals), ("goneBack", total.goneBack), ("hastyScrolls", total.earlyScrolls),
    ] {
      #expect(number >= count / 50, "only \(number) \(what) in \(count) seeds")
    }
  }
}
