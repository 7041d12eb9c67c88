import ListTesting
import Testing

@testable import ListEngine

/// Conversion between row identifiers and keys.
@Suite struct KeysTests {
  private let client = SessionID(rawValue: 1)

  @Test func `converts row ids to keys and keys to current positions`() throws {
    let harness = try Harness(rows: 100)
    harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle()
    let row = try #require(harness.row(990))
    #expect(harness.engine.key(of: row, shownTo: client) == .integer(99))
    let last = harness.engine.locate(.integer(99), for: client)
    #expect(last == LocatedRow(.integer(99), id: row, position: 0))
    #expect(harness.engine.locate(.integer(10), for: client)?.position == 89)
    harness.change { $0.update(10, value: 10_000) }
    try harness.settle(by: .seconds(1))
    #expect(harness.engine.locate(.integer(10), for: client)?.position == 0)
    let second = harness.engine.locate(.integer(99), for: client)
    #expect(second == LocatedRow(.integer(99), id: row, position: 1))
  }

  @Test func `accepts an integer key written as text`() throws {
    let harness = try Harness(rows: 10)
    harness.change { $0.upsert(.max, value: -1) }
    harness.open()
    try harness.settle(by: .seconds(1))
    let text = RowKey.text("9223372036854775807")
    #expect(harness.engine.locate(text, for: client)?.position == 10)
    #expect(harness.engine.locate(text, for: client)?.key == text, "it has the key that was asked for")
    #expect(harness.engine.locate(.text("3"), for: client)?.position == 3)
    #expect(harness.engine.locate(.text("three"), for: client) == nil)
  }

  @Test func `an integer does not match a text key`() throws {
    var engine = Engine(epoch: "keys")
    let table = try engine.addTable(Schema(name: "texts", key: .text, columns: [Column("value", .integer)]), at: .zero)
    engine.handle(
      .open(client, table: "texts", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
    engine.handle(.changes(table, .reload([(.text("7"), [.integer(1)])])), at: .zero)
    _ = engine.advance(to: .zero)
    #expect(engine.locate(.integer(7), for: client) == nil)
    #expect(engine.locate(.text("7"), for: client)?.position == 0)
  }

  @Test func `finds no unknown or deleted row, and none without a session`() throws {
    let harness = try Harness(rows: 10)
    #expect(harness.engine.locate(.integer(1), for: client) == nil, "no page has opened anything")
    harness.open()
    try harness.settle()
    let row = try #require(harness.row(10))
    #expect(harness.engine.locate(.integer(10), for: client) == nil)
    harness.change { $0.delete(1) }
    try harness.settle(by: .seconds(1))
    #expect(harness.engine.locate(.integer(1), for: client) == nil)
    #expect(harness.engine.key(of: row, shownTo: client) == nil)
  }

  @Test func `a row that the query excludes has no position`() throws {
    let harness = try Harness(rows: 10)
    harness.open(query: QueryRequest(filter: .compare("value", .greater, .number(50))))
    try harness.settle()
    let found = harness.engine.locate(.integer(3), for: client)
    #expect(found?.key == .integer(3) && found?.position == nil)
    #expect(harness.engine.locate(.integer(6), for: client)?.position == 0)
  }

  @Test func `a row in a collapsed section has its header's position`() throws {
    let harness = try Harness()
    harness.change { changes in
      for key in 0..<4 { changes.upsert(key, value: key, group: key < 2 ? "a" : "b") }
    }
    var query = QueryRequest(group: ["group"])
    query.collapsed = [[.text("b")]]
    harness.open(query: query)
    try harness.settle(by: .seconds(1))
    #expect(harness.engine.locate(.integer(1), for: client)?.position == 2)
    #expect(harness.engine.locate(.integer(3), for: client)?.position == 3)
  }
}

/// Conversion between row identifiers and keys in windowed tables.
@Suite struct WindowedKeysTests {
  private let client = SessionID(rawValue: 1)

  @Test func `finds only rows that were loaded for the query`() throws {
    let harness = try WindowedHarness(rows: 500, limits: WindowedHarness.limits { $0.cachedRows = 100 })
    harness.open(query: QueryRequest(sort: [("value", true)]), first: 200)
    try harness.settle()
    let seen = try #require(harness.row(2_990))
    #expect(harness.engine.key(of: seen, shownTo: client) == .integer(299))
    #expect(harness.engine.locate(.integer(299), for: client) == LocatedRow(.integer(299), id: seen, position: 200))
    #expect(harness.engine.locate(.integer(3), for: client) == nil)
  }

  @Test func `finds no row until a new query is answered`() throws {
    let harness = try WindowedHarness(rows: 50)
    harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle()
    #expect(harness.engine.locate(.integer(49), for: client)?.position == 0)
    harness.engine.handle(
      .query(client, request: 2, query: QueryRequest(sort: [("value", false)]), viewport: nil), at: harness.clock.now)
    #expect(harness.engine.locate(.integer(49), for: client) == nil)
  }
}
