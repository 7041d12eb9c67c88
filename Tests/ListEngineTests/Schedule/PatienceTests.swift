import ListTesting
import Testing

@testable import ListEngine

/// The time that a client waits for a windowed source, and the failure that it shows afterwards.
@Suite struct PatienceTests {
  private func silent(prefetch: PrefetchPolicy = PrefetchPolicy()) throws -> WindowedHarness {
    let harness = try WindowedHarness(rows: 100, limits: WindowedHarness.limits { _ in }, prefetch: prefetch)
    harness.plan = { _ in .init(.isForgotten) }
    return harness
  }

  private func why(_ harness: WindowedHarness) -> Missing? {
    guard case .row(let id, _, _)? = harness.replica().items.first else { return nil }
    return harness.replica().absences[id]
  }

  @Test func `sends placeholders once, after exactly 200 ms`() throws {
    let harness = try silent()
    harness.open()
    #expect(try harness.turn().isEmpty)
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(200)))
    #expect(try harness.turn(by: .milliseconds(200) - .nanoseconds(1)).isEmpty)
    #expect(try harness.turn(by: .nanoseconds(1)).count == 1)
    // Its patience ends only once and requests nothing more.
    #expect(try harness.turn().isEmpty)
    #expect(harness.engine.deadline.map { $0 > harness.clock.now } ?? true)
  }

  @Test func `a timeout replaces the reason of an earlier failure`() throws {
    let harness = try silent(prefetch: PrefetchPolicy(patience: .seconds(60)))
    harness.plan = { _ in .init(.fails("the disk is full")) }
    harness.open()
    try harness.settle(within: .milliseconds(300))
    #expect(why(harness) == .failed("the disk is full"))
    harness.plan = { _ in .init(.isForgotten) }
    // The request is retried after the pause and never answered.
    try harness.settle(within: .seconds(70))
    #expect(why(harness) == .failed("no answer within 60.0 seconds"))
  }
}
