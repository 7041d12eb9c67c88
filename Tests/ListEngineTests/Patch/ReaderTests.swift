import ListTesting
import Testing

@testable import ListEngine

/// The reader's place: design.md 4.6. Positions are the page's own, followed by the shifts that it is told.
@Suite struct ReaderTests {
  /// A page on rows sorted by value, reading from the row at `first` on.
  private func reading(_ first: Int, rows: Int = 100, query: QueryRequest? = nil) throws -> (Harness, () -> Int) {
    let harness = try Harness(rows: rows)
    harness.open(query: query ?? QueryRequest(sort: [("value", false)]), first: first)
    try harness.settle()
    let start = harness.deliveries.count
    return (harness, { first + harness.deliveries[start...].reduce(0) { $0 + $1.delivery.shift } })
  }

  /// The value of the row that the page shows at a position.
  private func value(at position: Int, _ harness: Harness) -> Int64? {
    let replica = harness.replica()
    guard replica.items.indices.contains(position - replica.start),
      case .row(_, _, let cells) = replica.items[position - replica.start], case .integer(let value) = cells[0]
    else { return nil }
    return value
  }

  @Test func rowsInsertedAboveDoNotMoveWhatIsBeingRead() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 53)
    #expect(value(at: first(), harness) == 500)
    #expect(harness.replica().start == 48)
  }

  @Test func rowsRemovedAboveDoNotMoveWhatIsBeingRead() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in for key in 10..<17 { changes.delete(key) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 43)
    #expect(value(at: first(), harness) == 500)
  }

  @Test func rowsThatMoveFromAboveToBelowDoNotMoveWhatIsBeingRead() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in for key in 10..<14 { changes.update(key, value: 5000) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 46)
    #expect(value(at: first(), harness) == 500)
  }

  @Test func rowsThatComeAndGoBelowChangeNothing() throws {
    let (harness, first) = try reading(20)
    harness.change { changes in
      for key in 200..<210 { changes.upsert(key, value: 5000) }
      changes.delete(90)
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 20)
    #expect(harness.replica().start == 15)
  }

  @Test func whenTheAnchorMovesByItselfTheReaderDoesNotFollowIt() throws {
    let (harness, first) = try reading(50)
    harness.scroll(first: 50, anchor: harness.row(500))
    harness.change { changes in
      changes.update(50, value: 9000)
      for key in 200..<203 { changes.upsert(key, value: 1) }
    }
    try harness.settle(by: .seconds(1))
    // Three came above and the anchor went: the next row, one below it, keeps its place on the screen.
    #expect(first() == 52)
    #expect(value(at: first() + 1, harness) == 510)
  }

  @Test func whenTheAnchorIsRemovedTheNextRowTakesItsPlaceAsAnchor() throws {
    let (harness, first) = try reading(50)
    harness.scroll(first: 50, anchor: harness.row(500))
    harness.change { changes in
      changes.delete(50)
      for key in 200..<203 { changes.upsert(key, value: 1) }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 52)
    #expect(value(at: first() + 1, harness) == 510)
  }

  @Test func theAnchorThatThePageNamesIsTheOneThatIsHeld() throws {
    let (harness, first) = try reading(50)
    harness.scroll(first: 50, anchor: harness.row(550))
    // Something comes between the first row and the anchor: the anchor stays, the first row goes up.
    harness.change { $0.upsert(200, value: 525) }
    try harness.settle(by: .seconds(1))
    #expect(first() == 51)
    #expect(value(at: first() + 5, harness) == 550)
  }

  @Test func whenEveryRowInSightIsKeyedAnewThePositionIsHeld() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in
      for key in 45..<65 { changes.update(key, value: 3 * key) }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 50)
  }

  @Test func atTheVeryTopTheReaderStaysAtTheTop() throws {
    let harness = try Harness(rows: 100)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: -1) } }
    let sent = try harness.advance(by: .seconds(1))
    #expect(sent.map(\.shift) == [0])
    #expect(Array(harness.values().prefix(3)) == [-1, -1, -1])
  }

  @Test func whoDoesNotStickToTheTopIsHeldThereToo() throws {
    let (harness, first) = try reading(0)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: -1) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 3)
    #expect(value(at: first(), harness) == 0)
  }

  @Test func inFollowModeTheReaderStaysAtTheEnd() throws {
    let harness = try Harness(rows: 100)
    harness.open(first: 90, stick: .end)
    try harness.settle()
    harness.change { changes in for key in 200..<205 { changes.upsert(key, value: key) } }
    let sent = try harness.advance(by: .seconds(1))
    #expect(sent.map(\.shift) == [5])
    #expect(harness.values().last == 204)
  }

  @Test func aScrollThatCrossesAPatchOnItsWayIsCountedFromThere() throws {
    let (harness, _) = try reading(50)
    let held = harness.replica()
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    #expect(try harness.advance(by: .seconds(1)).map(\.shift) == [3])
    // The page has not applied it when it scrolls to 60, by its old count: that is 63 by the new one.
    harness.engine.handle(
      .viewport(
        SessionID(rawValue: 1), Viewport(first: 60, count: 10, ahead: 5, behind: 5, stick: nil, sequence: held.sequence)
      ),
      at: harness.clock.now)
    harness.acknowledge()
    try harness.settle()
    #expect(harness.replica().start == 58)
    #expect(value(at: 63, harness) == 600)
  }

  @Test func aPatchThatWasRefusedIsFollowedWithTheWindowThatReplacesIt() throws {
    let (harness, _) = try reading(50)
    let id = SessionID(rawValue: 1)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    let refused = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(refused.shift == 3)
    harness.change { $0.upsert(300, value: 1) }
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.patch.base == nil)
    #expect(window.shift == 4)
  }

  @Test func headersThatComeAboveCountAsWell() throws {
    let query = QueryRequest(sort: [("value", false)], group: ["group"])
    let (harness, first) = try reading(50, query: query)
    let before = value(at: 50, harness)
    harness.change { changes in
      for key in 200..<205 { changes.upsert(key, value: 1, group: "a new one, above") }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 56)
    #expect(before != nil)
    #expect(value(at: first(), harness) == before)
  }

  @Test func theBufferLiesInTheDirectionOfTravelAndSwapsWithIt() throws {
    var reader = Reader()
    let limits = Limits()
    func go(_ first: Int) {
      let viewport = Viewport(first: first, count: 40, stick: nil)
      reader.resize(viewport, limits: limits)
      reader.go(to: viewport, shift: 0)
    }
    go(500)
    #expect(reader.window(of: 10_000) == 490..<570)
    go(480)
    #expect(reader.window(of: 10_000) == 450..<530)
    go(10)
    #expect(reader.window(of: 10_000) == 0..<60)
    #expect(reader.window(of: 30) == 0..<30)
    #expect(reader.window(of: 0) == 0..<0)
  }

  @Test func whatAPageAsksForIsBounded() throws {
    var reader = Reader()
    let viewport = Viewport(first: -5, count: 1_000_000, ahead: 1_000_000, behind: 1_000_000, stick: nil)
    reader.resize(viewport, limits: Limits())
    reader.go(to: viewport, shift: 0)
    #expect(reader.first == 0)
    #expect(reader.window(of: 10_000_000).count == 3000)
  }
}
