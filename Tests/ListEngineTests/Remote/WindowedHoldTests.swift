import ListTesting
import Testing

@testable import ListEngine

/// Design.md 4.6 for windowed tables: while the order is held, values change in place and moves
/// wait.
@Suite struct WindowedHoldTests {
  private let small = WindowedHarness.limits { _ in }

  private func values(_ range: Range<Int>) -> [String] { range.map { "\($0 * 10)" } }

  private func hold(_ harness: WindowedHarness, _ isHeld: Bool = true) {
    harness.engine.handle(.hold(SessionID(rawValue: 1), isHeld: isHeld), at: harness.clock.now)
  }

  /// Opens a session with rows 40 to 49 visible and rows 35 to 54 in its window, and holds its
  /// order.
  private func held(_ paging: WindowedCapabilities.Paging = .offset) throws -> WindowedHarness {
    let harness = try WindowedHarness(
      WindowedCapabilities(sort: [0], paging: paging), rows: 100, limits: small)
    harness.open()
    try harness.settle()
    for first in stride(from: 10, through: 40, by: 10) {
      harness.scroll(first: first)
      try harness.settle()
    }
    hold(harness)
    return harness
  }

  /// Reports a change of the source and lets some time pass.
  private func change(_ harness: WindowedHarness) throws {
    harness.change()
    try harness.settle(within: .seconds(3))
  }

  @Test(arguments: WindowedChangeTests.pagings)
  func `a hold updates values in place and defers insertions`(_ paging: WindowedCapabilities.Paging) throws {
    let harness = try held(paging)
    let before = harness.deliveries.count
    let (start, total) = (harness.replica().start, harness.replica().total)
    harness.upsert(42, value: 7)
    harness.upsert(1_000, at: 41)
    try change(harness)
    #expect(harness.lines() == values(35..<42) + ["7"] + values(43..<55))
    #expect((harness.replica().start, harness.replica().total) == (start, total))
    #expect(harness.replica().held == Held(moves: 1))
    let patches = harness.deliveries.dropFirst(before).map(\.patch)
    #expect(patches.allSatisfy { $0.inserted.isEmpty && $0.removed.isEmpty && $0.moved.isEmpty })
    hold(harness, false)
    try harness.turn()
    #expect(harness.replica().held == nil)
    #expect(harness.lines().contains("10000"))
    #expect(harness.deliveries.last?.patch.inserted.map(\.why).contains(.new) == true)
  }

  @Test func `releasing a hold shifts the window by rows inserted above`() throws {
    let harness = try held()
    for row in 0..<3 { harness.upsert(1_000 + row, at: 0) }
    try change(harness)
    // The last rows of the window are beyond where the window would be without following.
    harness.upsert(54, value: 5)
    try change(harness)
    #expect(harness.lines() == values(35..<54) + ["5"])
    #expect(harness.replica().held == Held())
    hold(harness, false)
    let delivery = try #require(try harness.turn().first)
    #expect(delivery.shift == 3)
    #expect(harness.lines() == values(35..<54) + ["5"])
    #expect(harness.replica().start == 38)
  }

  @Test func `held rows at the top update while others take their place`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    harness.open(stick: .top)
    try harness.settle()
    hold(harness)
    for round in 1...3 {
      for row in 0..<4 { harness.upsert(1_000 * round + row, at: 0) }
      try change(harness)
      #expect(harness.replica().held?.moves == min(4 * round, 15))
    }
    harness.upsert(14, value: 5)
    try change(harness)
    #expect(harness.lines() == values(0..<14) + ["5"])
    #expect(harness.replica().held?.gone == [])
    hold(harness, false)
    try harness.turn()
    #expect(harness.lines().prefix(2) == ["30030", "30020"])
    #expect(!harness.lines().contains("..."))
  }

  @Test func `a deleted row stays marked until the hold ends`() throws {
    let harness = try held()
    harness.source.delete(.integer(42))
    try change(harness)
    #expect(harness.lines() == values(35..<55))
    #expect(harness.replica().held == Held(moves: 1, gone: [7]))
    hold(harness, false)
    try harness.turn()
    #expect(!harness.lines().contains("420"))
  }

  @Test func `a hold does not keep rows from replacing placeholders`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.scroll(first: 500)
    try harness.turn()
    hold(harness)
    try harness.settle(within: .milliseconds(999))
    #expect(harness.lines() == [String](repeating: "...", count: 20))
    try harness.settle(within: .milliseconds(1))
    try harness.turn()
    #expect(harness.lines() == values(495..<515))
  }

  @Test func `a hold does not affect other sessions of the view`() throws {
    let harness = try held()
    harness.open(2, first: 40)
    try harness.settle(within: .seconds(1))
    harness.upsert(1_000, at: 41)
    try change(harness)
    #expect(harness.lines(2).contains("10000"))
    #expect(!harness.lines(1).contains("10000"))
  }

  @Test func `reports the count's accuracy during a hold`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(count: .estimated), rows: 100, limits: small)
    harness.open()
    try harness.settle()
    hold(harness)
    harness.upsert(3, value: 7)
    try change(harness)
    #expect(harness.lines()[3] == "7")
    #expect(harness.replica().accuracy == .estimated)
  }
}
