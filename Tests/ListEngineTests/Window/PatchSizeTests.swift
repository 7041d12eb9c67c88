import ListTesting
import Testing

@testable import ListEngine

/// Design.md 4.5: patches are bounded.
///
/// A large change arrives in several patches, each of which leaves the client's window consistent.
///
/// A row of the harness costs 40 bytes: 16 for itself, 12 for a number, and 3 more than its bytes
/// for each of its texts.
@Suite struct PatchSizeTests {
  private func harness(_ budget: Int, rows: Int = 40) throws -> Harness {
    var limits = Limits()
    limits.patchBytes = budget
    return try Harness(limits: limits, rows: rows)
  }

  /// Returns the number of rows that a client with ten visible rows receives first.
  private func firstRows(_ budget: Int) throws -> Int {
    let harness = try harness(budget)
    harness.open(buffer: 0)
    return try #require(try harness.advance().first).patch.result.items.count
  }

  @Test func `fills a patch exactly to its limit, with at least one row`() throws {
    #expect(try firstRows(40) == 1)
    #expect(try firstRows(79) == 1)
    #expect(try firstRows(80) == 2)
    #expect(try firstRows(199) == 4)
    #expect(try firstRows(200) == 5)
    #expect(try firstRows(1) == 1)
  }

  @Test(
    arguments: [
      (ColumnType.integer, Cell.integer(5), 12), (.number, .number(0.5), 12), (.boolean, .boolean(true), 12),
      (.timestamp, .timestamp(5), 12), (.text, .text("Grüße"), 7 + 3), (.image, .image("12345"), 5 + 3),
      (.series, .series([1, 2, 3]), 3 * 12 + 3), (.text, .null, 12),
    ] as [(ColumnType, Cell, Int)])
  func `the cost of a cell depends on its type and length`(_ type: ColumnType, _ cell: Cell, _ cost: Int) throws {
    for (budget, rows) in [(2 * (16 + cost), 2), (2 * (16 + cost) - 1, 1)] {
      var limits = Limits()
      limits.patchBytes = budget
      let schema = Schema(name: "numbers", key: .integer, columns: [Column("a", type)])
      let harness = try Harness(limits: limits, schema: schema)
      harness.change { changes in for key in 0..<5 { changes.set.upsert(.integer(Int64(key)), [cell]) } }
      harness.open(buffer: 0)
      #expect(try harness.advance().first?.patch.result.items.count == rows, "\(type)")
    }
  }

  @Test func `a pending deferred cell costs 16 bytes`() throws {
    for (budget, rows) in [(2 * (16 + 16), 2), (2 * (16 + 16) - 1, 1)] {
      var limits = Limits()
      limits.patchBytes = budget
      let schema = Schema(name: "numbers", key: .integer, columns: [Column("a", .number, isDeferred: true)])
      let harness = try Harness(limits: limits, schema: schema)
      harness.change { changes in for key in 0..<5 { changes.set.upsert(.integer(Int64(key)), [.null]) } }
      harness.open(buffer: 0)
      #expect(try harness.advance().first?.patch.result.items.count == rows)
    }
  }

  @Test func `a failed deferred cell costs its reason and 14 bytes`() throws {
    // Four letters in five bytes.
    let reason = "späh"
    for (budget, rows) in [(2 * (16 + 5 + 14), 2), (2 * (16 + 5 + 14) - 1, 1)] {
      var limits = Limits()
      limits.patchBytes = budget
      let schema = Schema(name: "numbers", key: .integer, columns: [Column("a", .number, isDeferred: true)])
      let harness = try Harness(limits: limits, schema: schema)
      harness.change { changes in for key in 0..<2 { changes.set.upsert(.integer(Int64(key)), [.null]) } }
      harness.open(buffer: 0)
      try harness.settle()
      for key: Int64 in 0..<2 {
        harness.engine.handle(.failed(harness.table, .integer(key), column: 0, reason: reason), at: harness.clock.now)
      }
      #expect(try harness.advance(by: .seconds(1)).first?.patch.updatedRows.count == rows)
    }
  }

  @Test func `an update costs only its changed cells`() throws {
    // 16 per row, and 3 + 8 for the name; three rows.
    for (budget, rows) in [(3 * 27, 3), (3 * 27 - 1, 2)] {
      let harness = try harness(budget)
      harness.open(buffer: 0)
      try harness.settle()
      harness.change { changes in for row in 0..<10 { changes.update(row, name: "12345678") } }
      #expect(try harness.advance(by: .seconds(1)).first?.patch.updatedRows.count == rows)
    }
  }

  @Test func `unchanged rows of the window cost nothing`() throws {
    let harness = try harness(40)
    harness.open(buffer: 0)
    try harness.settle()
    // The row exceeds the budget: it is sent alone, and nothing has to follow.
    harness.change { $0.update(0, name: String(repeating: "x", count: 500)) }
    #expect(try harness.advance(by: .seconds(1)).first?.patch.updatedRows.count == 1)
    harness.acknowledge()
    #expect(harness.engine.deadline == nil)
    #expect(harness.replica().items.count == 10)
  }

  @Test func `bounded updates are sent visible first, then ahead, then behind`() throws {
    let harness = try harness(54)
    harness.open(first: 10)
    try harness.settle()
    #expect(harness.replica().start == 5 && harness.replica().items.count == 20)
    harness.change { changes in for row in 0..<40 { changes.update(row, name: "12345678") } }
    var updates: [[Int]] = []
    for _ in 0..<20 {
      guard let patch = try harness.advance(by: .seconds(1)).first?.patch else { break }
      #expect(patch.result.start == 5 && patch.after == 20)
      updates.append(patch.updatedRows.map(\.index))
      harness.acknowledge()
    }
    // Visible items first, then items ahead, then items behind from near to far.
    let wanted = [[5, 6], [7, 8], [9, 10], [11, 12], [13, 14], [15, 16], [17, 18], [4, 19], [2, 3], [0, 1]]
    #expect(updates == wanted)
    #expect(harness.engine.deadline == nil)
  }

  @Test func `a bounded window has the buffer in scroll direction first`() throws {
    let harness = try harness(15 * 40, rows: 200)
    let id = harness.open(first: 150)
    try harness.settle()
    harness.scroll(first: 100)
    let up = try #require(try harness.advance().first).patch.result
    #expect(up.start == 95 && up.items.count == 15)
    try harness.settle()
    harness.engine.handle(
      .query(
        id, request: 2, query: QueryRequest(),
        viewport: Viewport(first: 120, count: 10, ahead: 5, behind: 5, stick: nil)), at: harness.clock.now)
    harness.acknowledge()
    let down = try #require(try harness.advance().first).patch.result
    #expect(down.start == 120 && down.items.count == 15)
  }

  @Test func `a large row just above the viewport waits for the next patch`() throws {
    let harness = try harness(16 * 40)
    harness.change { $0.update(9, name: String(repeating: "x", count: 400)) }
    harness.open(first: 10)
    let window = try #require(try harness.advance().first).patch.result
    #expect(window.start == 10 && window.items.count == 15)
    harness.acknowledge()
    let next = try #require(try harness.advance().first).patch.result
    #expect(next.start == 5 && next.items.count == 20)
  }
}
