import ListTesting
import Testing

@testable import ListEngine

/// Row counts of a windowed source at and beyond the supported limit.
///
/// One section may have up to 2^52 rows, and so may all together.
@Suite struct WindowedCountsTests {
  private static let most = BlockRequest.greatestCount
  private let small = WindowedHarness.limits { _ in }

  private func row(_ key: Int64, _ group: String) -> (key: RowKey, cells: [Cell]) {
    (.integer(key), [.integer(key), .text("row"), .text(group)])
  }

  /// Opens a session grouped by the last column, with these sections as the source's answer.
  private func grouped(
    _ sections: [SectionCount], _ capabilities: WindowedCapabilities = WindowedCapabilities(group: [2])
  ) throws -> WindowedHarness {
    let harness = try WindowedHarness(capabilities, rows: 0, limits: small)
    harness.plan = { _ in .init(.isForgotten) }
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.turn()
    let request = try #require(harness.source.requests.first)
    harness.engine.handle(.sections(harness.table, request.id, sections), at: harness.clock.now)
    try harness.turn(by: .milliseconds(300))
    return harness
  }

  private func failure(_ harness: WindowedHarness) -> Missing? {
    harness.replica().absences.values.first { $0 != .pending }
  }

  private var tooMany: Missing { .failed("the source counts more than \(Self.most) rows in its sections") }

  @Test(arguments: [2, 2_100, 10_000]) func `refuses sections that count too many rows together`(_ count: Int) throws {
    let harness = try grouped((0..<count).map { SectionCount([.text("\($0)")], count: Self.most) })
    #expect(failure(harness) == tooMany)
  }

  @Test func `shows sections with the greatest total of rows`() throws {
    let harness = try grouped([SectionCount([.text("a")], count: Self.most - 1), SectionCount([.text("b")], count: 1)])
    #expect(harness.lines().first == "a:\(Self.most - 1)")
    let more = try grouped([SectionCount([.text("a")], count: Self.most), SectionCount([.text("b")], count: 1)])
    #expect(failure(more) == tooMany)
  }

  @Test func `refuses a block that makes the sections too long together`() throws {
    let harness = try grouped([SectionCount([.text("a")], count: 2), SectionCount([.text("b")], count: 2)])
    for (section, count) in [("a", Self.most - 2), ("b", 3)] {
      let request = try #require(harness.source.requests.last { $0.section == [.text(section)] })
      let block = RowBlock([row(1, section), row(2, section)], hasMore: true, count: count)
      harness.engine.handle(.page(harness.table, request.id, block), at: harness.clock.now)
    }
    try harness.turn(by: .milliseconds(300))
    #expect(harness.lines().first == "a:\(Self.most - 2)")
    harness.scroll(first: Self.most)
    try harness.turn(by: .milliseconds(300))
    #expect(failure(harness) == tooMany)
  }

  @Test func `accepts the greatest position that a client can send`() throws {
    let harness = try grouped([SectionCount([.text("a")], count: Self.most)])
    for first in [Int.max, Int.min, Self.most] {
      harness.scroll(first: first)
      try harness.turn(by: .milliseconds(300))
    }
    #expect(harness.lines().count > 10)
    let flat = try WindowedHarness(WindowedCapabilities(), rows: 0, limits: small)
    flat.open(first: .max, count: .max, buffer: .max)
    try flat.settle()
  }

  /// Counts in any order are shown or refused: each answer draws random numbers near the limits.
  @Test(arguments: 0..<20) func `handles random counts in any order`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let capabilities = WindowedCapabilities(
      group: [1, 2], count: [.exact, .estimated, .unknown].randomElement(using: &random)!,
      paging: [.offset, .keyset, .keysetAndOffset].randomElement(using: &random)!)
    let harness = try WindowedHarness(capabilities, rows: 0, limits: small)
    harness.plan = { _ in .init(.isForgotten) }
    let group = !random.oneIn(4) ? ["group", "name"].prefix(Int.random(in: 1...2, using: &random)) : []
    harness.open(query: QueryRequest(group: Array(group)))
    harness.judgesRequests = false
    var answered = 0
    func count() -> Int {
      [0, 1, 3, 10, Self.most - 1, Self.most, Self.most / 2, .max, -1].randomElement(using: &random)!
    }
    for step in 0..<150 {
      try harness.turn(by: .milliseconds(100))
      for request in harness.source.requests[answered...] where !random.oneIn(10) {
        switch request.what {
        case .sections:
          let sections = (0..<Int.random(in: 0...40, using: &random)).map { number in
            SectionCount(request.query.group.map { _ in .text("\(number)") }, count: count())
          }
          harness.engine.handle(.sections(harness.table, request.id, sections), at: harness.clock.now)
        default:
          let rows = (0..<Int64.random(in: 0...10, using: &random)).map { row(Int64(step) * 100 + $0, "1") }
          let block = RowBlock(
            rows, hasMore: .random(using: &random), count: !random.oneIn(5) ? count() : nil,
            isCountEstimated: random.oneIn(3), begin: BlockCursor("b\(step)"), end: BlockCursor("e\(step)"))
          harness.engine.handle(.page(harness.table, request.id, block), at: harness.clock.now)
        }
      }
      answered = harness.source.requests.count
      if random.oneIn(3) { harness.scroll(first: count()) }
      if random.oneIn(10) { harness.change() }
    }
    #expect(harness.replica().sequence > 0)
  }
}
