import Dispatch
import ListEngine
import Testing
import Threads

@testable import Recording

/// Workers build views faster, and change no output.
@Suite struct WorkersTests {
  private static let rows = 20_000
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [Column("price", .number), Column("sector", .text), Column("symbol", .text), Column("size", .integer)])
  private static let queries = [
    QueryRequest(), QueryRequest(sort: [("price", true)]), QueryRequest(sort: [("size", false)]),
    QueryRequest(sort: [("symbol", false), ("price", false)]), QueryRequest(group: ["sector"]),
    QueryRequest(sort: [("price", false)], group: ["sector", "symbol"]),
  ]

  private static func cells(_ row: Int, version: Int) -> [Cell] {
    let number = (row &* 7_919 &+ version &* 104_729) % 100_003
    let symbol: Cell = number % 50 == 0 ? .null : .text("symbol \(number % 900)")
    return [.number(Double(number)), .text("sector \(number % 11)"), symbol, .integer(Int64(number % 1_000))]
  }

  /// Opens each query in turn, and changes rows while its view is built.
  private static func record(_ workers: Workers, stepRows: Int) throws -> [UInt8] {
    var limits = Limits()
    limits.stepRows = stepRows
    let store = MemoryStore()
    let recording = Recording(store, RecordingHeader(epoch: "run", limits: limits))
    var engine = Engine(epoch: "run", limits: limits, workers: workers)
    engine.observer = recording
    var now = Instant(nanoseconds: 1_000_000_000)
    let table = try engine.addTable(schema, at: now)
    var all = Changeset()
    for row in 0..<rows { all.upsert(.integer(Int64(row)), cells(row, version: 0)) }
    engine.handle(.changes(table, all), at: now)
    for (number, query) in queries.enumerated() {
      let session = SessionID(rawValue: UInt64(number + 1))
      engine.handle(.open(session, table: "t", request: 1, query: query, viewport: nil, interval: .zero), at: now)
      for turn in 1...40 {
        now = now.advanced(by: .milliseconds(7))
        var changes = Changeset()
        for row in 0..<20 {
          let row = (row &* 947 &+ turn &* 131) % rows
          if row % 17 == 0 {
            changes.delete(.integer(Int64(row)))
          } else {
            changes.upsert(.integer(Int64(row)), cells(row, version: turn))
          }
        }
        engine.handle(.changes(table, changes), at: now)
        for case .deliver(_, let delivery) in engine.advance(to: now) {
          engine.handle(.writable(session), at: now)
          engine.handle(.acknowledge(session, sequence: delivery.sequence), at: now)
        }
      }
      engine.handle(.close(session), at: now)
    }
    recording.close(within: .seconds(60))
    return store.bytes
  }

  @Test(arguments: [1_000, 4_096, 1 << 16])
  func `outputs of engines with one and with four workers are equal byte for byte`(stepRows: Int) throws {
    let calls = Guarded(0)
    let four = Workers(count: 4, leastRows: 128) { count, body in
      calls.withLock { $0 += 1 }
      DispatchQueue.concurrentPerform(iterations: count, execute: body)
    }
    let bytes = try Self.record(four, stepRows: stepRows)
    #expect(calls.withLock { $0 } > Self.queries.count)
    #expect(try bytes == Self.record(.caller, stepRows: stepRows))
    let report = try withFile(bytes) { try Verification.run(path: $0) }
    #expect(report.firstDifference == nil)
    #expect(report.outputs > 100)
  }
}
