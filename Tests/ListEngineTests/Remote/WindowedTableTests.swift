import ListTesting
import Testing

@testable import ListEngine

/// Windowed tables: the rows shown and the requests sent.
@Suite struct WindowedTableTests {
  private func values(_ range: Range<Int>) -> [String] { range.map { "\($0 * 10)" } }
  private let small = WindowedHarness.limits { _ in }

  @Test(arguments: [WindowedCapabilities.Paging.offset, .keyset, .keysetAndOffset])
  func `shows the source's rows and row count`(_ paging: WindowedCapabilities.Paging) throws {
    let harness = try WindowedHarness(WindowedCapabilities(paging: paging), rows: 100, limits: small)
    harness.open()
    try harness.settle()
    #expect(harness.lines() == values(0..<15))
    #expect(harness.replica().rows == 100)
    #expect(harness.replica().accuracy == .exact)
  }

  @Test(arguments: [WindowedCapabilities.Paging.offset, .keysetAndOffset])
  func `the viewport can jump anywhere if the source has offsets`(_ paging: WindowedCapabilities.Paging) throws {
    let harness = try WindowedHarness(WindowedCapabilities(paging: paging), rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    #expect(harness.replica().total == 1_000)
    harness.scroll(first: 703)
    try harness.settle()
    #expect(harness.lines() == values(698..<718))
    harness.scroll(first: 695)
    try harness.settle()
    #expect(harness.lines() == values(690..<710))
    harness.scroll(first: 995)
    try harness.settle()
    #expect(harness.lines() == values(985..<1_000))
  }

  @Test func `a keyset list grows as the viewport reaches its end`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(paging: .keyset), rows: 45, limits: small)
    harness.open()
    try harness.settle()
    // Two blocks are loaded, and clients can scroll to a third one.
    #expect(harness.replica().total == 30)
    #expect(harness.replica().rows == 45)
    harness.scroll(first: 20)
    try harness.settle()
    #expect(harness.lines() == values(15..<35))
    #expect(harness.replica().total == 45)
    harness.scroll(first: 35)
    try harness.settle()
    #expect(harness.lines() == values(30..<45))
    #expect(harness.replica().total == 45)
  }

  @Test func `shows placeholders, then rows as soon as they are loaded`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    harness.scroll(first: 500)
    try harness.turn()
    #expect(harness.lines() == [String](repeating: "...", count: 20))
    #expect(Set(harness.replica().absences.values) == [.pending])
    harness.answer()
    // Immediately, and not after the interval.
    try harness.turn()
    #expect(harness.lines() == values(495..<515))
    #expect(harness.replica().absences.isEmpty)
  }

  @Test func `waits 200 ms for a slow source before it shows placeholders`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.open()
    try harness.turn()
    try harness.turn(by: .milliseconds(199))
    #expect(harness.deliveries.isEmpty)
    try harness.turn(by: .milliseconds(1))
    #expect(harness.lines() == [String](repeating: "...", count: 10))
    #expect(harness.replica().accuracy == .unknown)
    try harness.settle()
    #expect(harness.lines() == values(0..<15))
  }

  @Test func `shows a fast source without visible placeholders`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    harness.open()
    try harness.settle()
    #expect(harness.deliveries.first?.patch.result.items.count == 15)
    for delivery in harness.deliveries {
      for case .row(let row) in delivery.patch.result.items.prefix(10) { #expect(row.absence == nil) }
    }
  }

  @Test func `shows an empty source, and rows inserted later`() throws {
    for paging in [WindowedCapabilities.Paging.offset, .keyset, .keysetAndOffset] {
      for count in [CountAccuracy.exact, .estimated, .unknown] {
        let harness = try WindowedHarness(WindowedCapabilities(count: count, paging: paging), limits: small)
        harness.open()
        try harness.settle()
        #expect(harness.replica().sequence > 0)
        #expect(harness.lines() == [])
        #expect(harness.replica().rows == 0)
        #expect(harness.replica().accuracy == .exact)
        // Inserted rows are visible as well.
        harness.upsert(1)
        harness.change()
        try harness.settle()
        #expect(harness.lines() == ["10"], "\(paging) \(count)")
      }
    }
  }

  // MARK: Counts

  @Test func `an unknown count grows with the loaded blocks until the end`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(count: .unknown), rows: 45, limits: small)
    harness.open()
    try harness.settle()
    #expect(harness.replica().total == 30)
    #expect(harness.replica().accuracy == .unknown)
    harness.scroll(first: 20)
    try harness.settle()
    #expect(harness.replica().total == 50)
    harness.scroll(first: 40)
    try harness.settle()
    #expect(harness.replica().total == 45)
    #expect(harness.replica().accuracy == .exact)
    #expect(harness.lines() == values(30..<45))
  }

  @Test func `a count is reported as estimated until the end is loaded`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(count: .estimated), rows: 100, limits: small)
    harness.source.estimate = 90
    harness.open()
    try harness.settle()
    #expect(harness.replica().total == 90)
    #expect(harness.replica().accuracy == .estimated)
    harness.scroll(first: 80, stick: .end)
    try harness.settle()
    #expect(harness.replica().total == 100)
    #expect(harness.replica().accuracy == .exact)
    #expect(harness.lines().last == "990")
  }

  @Test func `corrects a far too high estimate in under 40 requests`() throws {
    for paging in [WindowedCapabilities.Paging.offset, .keysetAndOffset] {
      let harness = try WindowedHarness(
        WindowedCapabilities(count: .estimated, paging: paging), rows: 50, limits: small)
      harness.source.estimate = 1_000_000
      harness.open()
      try harness.settle()
      #expect(harness.replica().total == 500_000)
      harness.scroll(first: 499_990, stick: .end)
      try harness.settle()
      #expect(harness.lines().last == "490", "\(paging)")
      #expect(harness.source.requests.count < 40)
    }
  }

  // MARK: What is asked

  @Test func `requests each block once for several sessions`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small)
    for client in 1...3 { harness.open(UInt64(client), first: 500) }
    try harness.settle()
    for client in 1...3 { #expect(harness.lines(UInt64(client)) == values(495..<515)) }
    #expect(harness.source.requests.count == 3)  // 490, 500 and 510
  }

  @Test func `requests visible blocks, then those ahead, then behind`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small, prefetch: PrefetchPolicy(inFlight: 1))
    harness.open(first: 500, count: 10, buffer: 20)
    try harness.settle()
    harness.scroll(first: 700, buffer: 20)
    let known = harness.source.requests.count
    try harness.settle()
    #expect(harness.source.requests.dropFirst(known).map(skip) == [700, 710, 720, 690, 680])
    // The reverse order when the user scrolls back.
    harness.scroll(first: 300, buffer: 20)
    let before = harness.source.requests.count
    try harness.settle()
    #expect(harness.source.requests.dropFirst(before).map(skip) == [300, 290, 280, 310, 320])
  }

  private func skip(_ request: BlockRequest) -> Int {
    if case .rows(_, _, let skip, _) = request.what { skip } else { -1 }
  }

  @Test func `a jump cancels requests for the former viewport`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small, prefetch: PrefetchPolicy(inFlight: 3))
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(after: .seconds(5)) }
    harness.scroll(first: 500)
    try harness.turn()
    let passed = Set(harness.source.inFlight.keys)
    #expect(passed.count == 3)
    harness.scroll(first: 800)
    try harness.turn()
    // A visible block replaces one in flight at once; the others have a grace period in which the
    // user may scroll back.
    #expect(harness.source.cancels.count == 1)
    try harness.turn(by: .milliseconds(250))
    #expect(Set(harness.source.cancels) == passed)
    #expect(harness.source.inFlight.values.map(skip).sorted() == [790, 800, 810])
    try harness.settle()
    #expect(harness.lines() == values(795..<815))
  }

  @Test func `sends no cancel to a source that cannot cancel`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(cancels: false), rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(after: .seconds(5)) }
    harness.scroll(first: 500)
    try harness.turn()
    harness.close()
    try harness.turn(by: .seconds(1))
    #expect(harness.source.cancels.isEmpty)
    #expect(harness.source.inFlight.count == 3)
  }

  @Test func `reloads nothing for a hidden session until it is visible`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    let known = harness.source.requests.count
    harness.engine.handle(.visibility(SessionID(rawValue: 1), isHidden: true), at: harness.clock.now)
    harness.change()
    try harness.settle()
    #expect(harness.source.requests.count == known)
    harness.upsert(1_000, value: -1, at: 0)
    harness.engine.handle(.visibility(SessionID(rawValue: 1), isHidden: false), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines().contains("-1"))
  }

  @Test func `shows why blocks fail and retries them`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(.fails("the disk is gone")) }
    harness.scroll(first: 500)
    try harness.settle(within: .milliseconds(500))
    #expect(harness.lines() == [String](repeating: "!", count: 20))
    #expect(Set(harness.replica().absences.values) == [.failed("the disk is gone")])
    harness.plan = { _ in .init() }
    try harness.settle()
    #expect(harness.lines() == values(495..<515))
  }

  @Test func `fails requests not answered in time and retries them`() throws {
    let harness = try WindowedHarness(
      rows: 1_000, limits: small, prefetch: PrefetchPolicy(patience: .seconds(3)))
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(.isForgotten) }
    harness.scroll(first: 500)
    try harness.settle(within: .milliseconds(3_500))
    #expect(Set(harness.replica().absences.values) == [.failed("no answer within 3.0 seconds")])
    harness.plan = { _ in .init() }
    try harness.settle()
    #expect(harness.lines() == values(495..<515))
  }

  @Test func `keeps rows that arrive after their request was cancelled`() throws {
    let harness = try WindowedHarness(rows: 1_000, limits: small)
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(after: .seconds(2), answersAfterCancel: true) }
    harness.scroll(first: 500)
    try harness.turn()
    harness.scroll(first: 0)
    try harness.settle(within: .seconds(3))
    #expect(harness.source.cancels.count == 3)
    let known = harness.source.requests.count
    // The three blocks, and the one below the first, to which the user never scrolled.
    #expect(harness.engine.prefetch(of: harness.table).wasted == 4)
    harness.scroll(first: 500)
    try harness.settle()
    #expect(harness.lines() == values(495..<515))
    #expect(harness.source.requests.count == known)
  }
}
