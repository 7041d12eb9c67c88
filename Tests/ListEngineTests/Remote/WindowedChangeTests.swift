import ListTesting
import Testing

@testable import ListEngine

/// The visible rows while a windowed source's data changes.
@Suite struct WindowedChangeTests {
  private func values(_ range: Range<Int>) -> [String] { range.map { "\($0 * 10)" } }
  private let small = WindowedHarness.limits { _ in }
  static let pagings = [WindowedCapabilities.Paging.offset, .keyset, .keysetAndOffset]

  /// Opens a session in the middle of a table of 100 rows.
  private func reading(
    _ paging: WindowedCapabilities.Paging, query: QueryRequest = QueryRequest(), at first: Int = 40,
    limits: Limits? = nil
  ) throws -> WindowedHarness {
    let harness = try WindowedHarness(
      WindowedCapabilities(sort: [0], paging: paging), rows: 100, limits: limits ?? small)
    harness.open(query: query)
    try harness.settle()
    for place in stride(from: 10, through: first, by: 10) {
      harness.scroll(first: place)
      try harness.settle()
    }
    return harness
  }

  /// Returns the first visible value.
  private func top(_ harness: WindowedHarness, _ first: Int) -> String {
    harness.lines()[first - harness.replica().start]
  }

  @Test(arguments: pagings) func `sends only the changed cells of visible rows`(_ paging: WindowedCapabilities.Paging)
    throws
  {
    let harness = try reading(paging)
    harness.upsert(42, value: 7)
    harness.change()
    try harness.settle()
    #expect(harness.lines()[42 - harness.replica().start] == "7")
    let patch = try #require(harness.deliveries.last?.patch)
    // Only changed cells are sent.
    #expect(patch.updatedRows.map(\.columns) == [[0]])
    #expect(patch.inserted.isEmpty && patch.removed.isEmpty)
  }

  @Test(arguments: pagings) func `rows inserted above do not move visible rows on screen`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try reading(paging)
    for row in 0..<3 { harness.upsert(1_000 + row, at: 0) }
    harness.change()
    try harness.settle()
    let shift = try #require(harness.deliveries.last?.shift)
    #expect(top(harness, 40 + shift) == "400")
    // By offset, the rows are shown at their current positions. With cursors nothing above is
    // requested, and nothing moves.
    #expect(shift == (paging == .offset ? 3 : 0))
  }

  @Test(arguments: pagings) func `rows deleted above do not move visible rows on screen`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try reading(paging)
    for row in [3, 36, 37] { harness.source.delete(.integer(Int64(row))) }
    harness.change()
    try harness.settle()
    #expect(top(harness, 40 + harness.deliveries.map(\.shift).reduce(0, +)) == "400")
  }

  @Test(arguments: pagings) func `rows inserted in the viewport do not move the scroll anchor`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try reading(paging)
    harness.scroll(first: 40, anchor: harness.row(450))
    try harness.settle()
    let before = harness.deliveries.count
    for row in 0..<7 { harness.upsert(1_000 + row, at: 42) }
    harness.change()
    try harness.settle()
    let first = 40 + harness.deliveries.dropFirst(before).map(\.shift).reduce(0, +)
    #expect(harness.lines()[first + 5 - harness.replica().start] == "450")
  }

  @Test(arguments: pagings) func `a viewport stuck to the top shows rows inserted there`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try WindowedHarness(WindowedCapabilities(paging: paging), rows: 100, limits: small)
    harness.open(stick: .top)
    try harness.settle()
    harness.upsert(1_000, value: 1, at: 0)
    harness.change()
    try harness.settle()
    #expect(harness.lines().prefix(2) == ["1", "0"])
  }

  @Test func `a viewport stuck to the end follows appended rows`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(paging: .offset), rows: 100, limits: small)
    harness.open(first: 90, stick: .end)
    try harness.settle()
    #expect(harness.lines().last == "990")
    for row in 100..<125 { harness.upsert(row) }
    harness.change()
    try harness.settle()
    #expect(harness.lines().last == "1240")
    #expect(harness.lines().count == 15)
  }

  @Test func `sends a reload of several blocks in one delivery`() throws {
    let harness = try reading(.offset)
    for row in 0..<3 { harness.upsert(1_000 + row, at: 0) }
    var late = 0
    harness.plan = { _ in
      late += 1
      return .init(after: .milliseconds(100 * late))
    }
    let before = harness.deliveries.count
    harness.change()
    try harness.settle()
    for delivery in harness.deliveries.dropFirst(before) {
      for case .row(let row) in delivery.patch.result.items { #expect(row.absence == nil) }
    }
    #expect(harness.deliveries.count - before == 1)
  }

  @Test func `keeps rows shown while reloads fail, then updates them`() throws {
    let harness = try reading(.offset)
    harness.plan = { _ in .init(.fails("gone")) }
    harness.upsert(42, value: 7)
    harness.change()
    try harness.settle(within: .seconds(20))
    #expect(harness.lines() == values(35..<55))
    harness.plan = { _ in .init() }
    try harness.settle()
    #expect(harness.lines()[7] == "7")
  }

  @Test func `reloads that failed are repeated when the source is live again`() throws {
    let harness = try reading(.offset)
    func report(_ state: SourceState) {
      harness.engine.handle(.source(harness.table, state, message: ""), at: harness.clock.now)
    }
    harness.plan = { _ in .init(.fails("away")) }
    report(.stale)
    harness.upsert(42, value: 7)
    harness.change()
    try harness.settle(within: .seconds(40))
    #expect(harness.lines() == values(35..<55))
    harness.plan = { _ in .init() }
    report(.live)
    try harness.settle(within: .milliseconds(500))
    #expect(harness.lines()[7] == "7")
  }

  @Test func `reloads at most once per refresh interval`() throws {
    let harness = try reading(.offset)
    let known = harness.source.requests.count
    harness.change()
    try harness.settle(within: .milliseconds(10))
    #expect(harness.source.requests.count == known + 3)
    for _ in 0..<50 {
      harness.change()
      try harness.settle(within: .milliseconds(10))
    }
    #expect(harness.source.requests.count == known + 3)
    try harness.settle()
    #expect(harness.source.requests.count == known + 6)
  }

  @Test func `shows rows of a source that changes faster than it answers`() throws {
    let harness = try reading(.offset)
    harness.plan = { _ in .init(after: .milliseconds(2_500)) }
    for value in 1...40 {
      harness.upsert(42, value: value)
      harness.change()
      try harness.settle(within: .milliseconds(500))
    }
    #expect(Int(harness.lines()[7]).map { (1...40).contains($0) } ?? false)
    try harness.settle()
    #expect(harness.lines()[7] == "40")
  }

  @Test func `polls a source that does not report changes`() throws {
    let harness = try WindowedHarness(
      WindowedCapabilities(tellsChanges: false, refresh: .seconds(10)), rows: 20, limits: small)
    harness.open()
    try harness.settle(within: .seconds(1))
    harness.upsert(3, value: 7)
    try harness.settle(within: .seconds(8))
    #expect(harness.lines()[3] == "30")
    try harness.settle(within: .seconds(2))
    #expect(harness.lines()[3] == "7")
  }

  @Test func `a row in two blocks triggers a reload`() throws {
    let harness = try reading(.offset, at: 0)
    // The source does not report the new row, but the next block begins with a row that is already
    // known.
    harness.upsert(1_000, value: 1, at: 0)
    harness.scroll(first: 20, buffer: 5)
    try harness.settle()
    let lines = harness.lines()
    #expect(Set(lines).count == lines.count)
    #expect(lines == values(14..<34))
    #expect(harness.replica().absences.isEmpty)
  }

  @Test func `patches distinguish inserted and deleted from scrolled rows`() throws {
    let harness = try reading(.offset)
    harness.upsert(1_000, value: 1, at: 42)
    harness.source.delete(.integer(47))
    harness.change()
    try harness.settle()
    let patch = try #require(harness.deliveries.last?.patch)
    #expect(patch.inserted.map(\.why) == [.new])
    #expect(patch.removed.map(\.why) == [.gone])
    harness.scroll(first: 42)
    try harness.settle()
    let scrolled = try #require(harness.deliveries.last?.patch)
    #expect(Set(scrolled.inserted.map(\.why)) == [.scrolled])
    #expect(Set(scrolled.removed.map(\.why)) == [.scrolled])
  }

  @Test(arguments: pagings) func `the viewport moves to the end when the list shrinks`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try reading(paging)
    for row in 7..<100 { harness.source.delete(.integer(Int64(row))) }
    harness.change()
    try harness.settle()
    #expect(harness.replica().total == 7)
    #expect(harness.lines() == values(0..<7))
  }

  @Test func `an estimated count of 0 does not hide rows`() throws {
    for paging in Self.pagings {
      let harness = try WindowedHarness(
        WindowedCapabilities(count: .estimated, paging: paging), rows: 2, limits: small)
      harness.source.estimate = 0
      harness.open()
      try harness.settle()
      #expect(harness.lines() == ["0", "10"])
      harness.upsert(2)
      harness.change()
      try harness.settle()
      #expect(harness.lines() == ["0", "10", "20"])
    }
  }

  @Test func `a viewport stuck to top or end receives an inserted row`() throws {
    for stick in [Viewport.Stick.top, .end] {
      let harness = try WindowedHarness(WindowedCapabilities(paging: .offset), rows: 20, limits: small)
      harness.open(buffer: 20, stick: stick)
      try harness.settle()
      harness.upsert(1_000, value: 1, at: 0)
      harness.change()
      try harness.settle()
      #expect(harness.replica().total == 21)
      #expect(harness.lines() == ["1"] + values(0..<20))
    }
  }

  // MARK: The cache

  @Test func `evicts blocks seen longest ago when the cache is full`() throws {
    let harness = try reading(.offset, at: 0, limits: WindowedHarness.limits { $0.cachedRows = 50 })
    for first in stride(from: 10, through: 90, by: 10) {
      harness.scroll(first: first)
      try harness.settle()
    }
    let known = harness.source.requests.count
    // The block seen last is cached; the one seen first is requested again.
    harness.scroll(first: 60)
    try harness.settle()
    #expect(harness.source.requests.count == known)
    harness.scroll(first: 0)
    try harness.settle()
    #expect(harness.source.requests.count == known + 2)
    #expect(harness.lines() == values(0..<15))
  }

  @Test func `never evicts blocks that a session displays`() throws {
    let harness = try reading(.offset, at: 0, limits: WindowedHarness.limits { $0.cachedRows = 5 })
    let known = harness.source.requests.count
    for number in 2...4 { harness.open(UInt64(number), first: Int(number) * 20) }
    try harness.settle()
    for number in 1...4 { #expect(!harness.lines(UInt64(number)).contains("...")) }
    #expect(harness.source.requests.count == known + 7)
  }

  @Test func `evicts blocks over the cache's byte limit`() throws {
    let limits = WindowedHarness.limits { $0.cachedBytes = 1 }
    let harness = try reading(.offset, at: 20, limits: limits)
    let known = harness.source.requests.count
    harness.scroll(first: 0)
    try harness.settle()
    #expect(harness.source.requests.count == known + 1)
  }

  @Test func `a row keeps its id across queries and reloads`() throws {
    let harness = try reading(.offset, at: 0)
    let id = try #require(harness.row(30))
    harness.open(2, query: QueryRequest(sort: [("value", true)]), first: 90)
    try harness.settle()
    #expect(harness.row(30, 2) == id)
    harness.upsert(1_000, at: 0)
    harness.change()
    try harness.settle()
    #expect(harness.row(30) == id)
    #expect(harness.row(30, 2) == id)
  }
}
