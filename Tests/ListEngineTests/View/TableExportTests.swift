import ListTesting
import Testing

@testable import ListEngine

/// A view read in slices while its table changes.
@Suite struct TableExportTests {
  private let now = Instant.zero

  private let table = TableID(rawValue: 0)

  private func engine(rows: Range<Int>) throws -> Engine {
    var engine = Engine(epoch: "test")
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("n", .integer), Column("kind", .text), Column("price", .number)])
    _ = try engine.addTable(schema, at: now)
    engine.handle(.changes(table, upserts(rows)), at: now)
    return engine
  }

  private func upserts(_ rows: Range<Int>, price: Double = 0) -> Changeset {
    var changes = Changeset()
    for n in rows {
      changes.upsert(
        .integer(Int64(n)), [.integer(Int64(n)), .text(n % 2 == 0 ? "even" : "odd"), .number(price - Double(n))])
    }
    return changes
  }

  /// Returns the first column of the next rows, or `nil` at the end.
  private func read(_ engine: borrowing Engine, _ id: ExportID, _ count: Int) -> [Int64]? {
    switch engine.read(id, rows: count) {
    case .rows(let rows): rows.map { if case .integer(let n) = $0[0] { n } else { -1 } }
    case .end: nil
    case .notYet: []
    // Only windowed sources do this.
    case .refused, .failed: [-1]
    }
  }

  @Test func `an export has the rows and the order of its query`() throws {
    var engine = try engine(rows: 0..<10)
    let filter = Filter<String>.compare("kind", .equal, .text("odd"))
    for (query, numbers) in [
      (QueryRequest(), Array(0..<10)), (QueryRequest(sort: [("price", false)]), (0..<10).reversed()),
      (QueryRequest(filter: filter), [1, 3, 5, 7, 9]), (QueryRequest(search: "EVEN"), [0, 2, 4, 6, 8]),
      (QueryRequest(sort: [("n", true)], group: ["kind"]), [8, 6, 4, 2, 0, 9, 7, 5, 3, 1]),
    ] as [(QueryRequest, [Int])] {
      let id = try engine.beginExport(of: "t", query)
      _ = engine.advance(to: now)
      let (isReady, all, rest) = (engine.isReady(id), read(engine, id, 100), read(engine, id, 100))
      #expect(isReady)
      #expect(all == numbers.map(Int64.init))
      #expect(rest == nil)
      engine.endExport(id)
    }
  }

  @Test func `slices are read in succession up to the end`() throws {
    var engine = try engine(rows: 0..<10)
    let id = try engine.beginExport(of: "t", QueryRequest())
    _ = engine.advance(to: now)
    var slices: [[Int64]?] = []
    for _ in 0..<4 { slices.append(read(engine, id, 4)) }
    #expect(slices == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9], nil])
  }

  @Test func `exports each initial row once, with its current values`() throws {
    var engine = try engine(rows: 0..<10)
    let id = try engine.beginExport(of: "t", QueryRequest(sort: [("price", true)]))
    _ = engine.advance(to: now)
    let first = read(engine, id, 3)
    #expect(first == [0, 1, 2])
    var changes = Changeset()
    // A row already read moves to the end, and one from the end moves to the beginning. One row is
    // deleted, and another is inserted in its slot.
    changes.upsert(.integer(1), [.integer(1), .text("odd"), .number(-100)])
    changes.upsert(.integer(9), [.integer(9), .text("odd"), .number(100)])
    changes.delete(.integer(5))
    engine.handle(.changes(table, changes), at: now)
    engine.handle(.changes(table, upserts(20..<23)), at: now)
    _ = engine.advance(to: now)
    guard case .rows(let rest) = engine.read(id, rows: 100) else { return #expect(Bool(false)) }
    #expect(rest.map { $0[0] } == [3, 4, 6, 7, 8, 9].map { .integer($0) })
    #expect(rest.last?[2] == .number(100))
    let end = read(engine, id, 100)
    #expect(end == nil)
  }

  @Test func `a row deleted and inserted again is not exported`() throws {
    var engine = try engine(rows: 0..<4)
    let id = try engine.beginExport(of: "t", QueryRequest())
    _ = engine.advance(to: now)
    var changes = Changeset()
    changes.delete(.integer(2))
    engine.handle(.changes(table, changes), at: now)
    _ = engine.advance(to: now)
    engine.handle(.changes(table, upserts(2..<3)), at: now)
    let rest = read(engine, id, 100)
    #expect(rest == [0, 1, 3])
  }

  @Test func `a large view is built in turns and then exported once`() throws {
    var engine = try engine(rows: 0..<200_000)
    let id = try engine.beginExport(of: "t", QueryRequest(sort: [("price", false)]))
    var turns = 0
    while !engine.isReady(id) {
      guard case .notYet = engine.read(id, rows: 1) else { return #expect(Bool(false), "read before its time") }
      let deadline = engine.deadline
      #expect(deadline == .zero)
      engine.handle(.changes(table, upserts(turns..<turns + 1, price: 0.5)), at: now)
      _ = engine.advance(to: now)
      turns += 1
    }
    #expect(turns > 1)
    var numbers: [Int64] = []
    while let slice = read(engine, id, 1_000) { numbers += slice }
    #expect(numbers.count == 200_000)
    #expect(Set(numbers).count == 200_000)
    engine.endExport(id)
    let deadline = engine.deadline
    #expect(deadline != .zero)
  }

  @Test func `refuses unknown tables and columns`() throws {
    var engine = try engine(rows: 0..<1)
    for (name, query, expected) in [
      ("x", QueryRequest(), .unknownTable("x")),
      ("t", QueryRequest(sort: [("x", false)]), .unknownColumn(table: "t", column: "x")),
    ] as [(String, QueryRequest, ClientError)] {
      var refusal: ClientError?
      do throws(ClientError) { _ = try engine.beginExport(of: name, query) } catch { refusal = error }
      #expect(refusal == expected)
    }
  }

  @Test func `reading an ended export returns the end`() throws {
    var engine = try engine(rows: 0..<10)
    let id = try engine.beginExport(of: "t", QueryRequest())
    engine.endExport(id)
    engine.endExport(id)
    _ = engine.advance(to: now)
    let rest = read(engine, id, 10)
    #expect(rest == nil)
  }
}
