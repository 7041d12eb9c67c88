import Foundation
import ListEngine
import ListTesting

@testable import Recording

/// A table and two pages, driven through all events that a recording keeps.
///
/// Each page acknowledges its patches.
struct Scenario: ~Copyable {
  var engine: Engine
  private var now = Instant(nanoseconds: 5_000_000_000)
  private var table = TableID(rawValue: 0)
  /// The number of outputs of the engine.
  private(set) var outputs = 0

  private static let schema = Schema(
    name: "jobs", key: .integer,
    columns: [Column("name", .text), Column("load", .number), Column("picture", .image, isDeferred: true)])

  init(_ recording: Recording?) throws {
    engine = Engine(epoch: "run", limits: Limits())
    engine.observer = recording
    table = try engine.addTable(Self.schema, at: now)
  }

  mutating func run(steps: Int = 20) {
    let clients = [SessionID(rawValue: 1), SessionID(rawValue: .max)]
    engine.handle(.source(table, .live, message: "“quoted”"), at: now)
    engine.handle(
      .changes(table, .reload((0..<50).map { (.integer($0), [.text("job \($0)"), .number(Double($0) / 3), .null]) })),
      at: now)
    var filtered = QueryRequest(
      sort: [("load", true)],
      filter: .any([.compare("load", .greater, .number(0.1 + 0.2)), .contains("name", "ö"), .isEmpty("picture")]))
    filtered.aggregates = [AggregateRequest(.sum, of: "load")]
    engine.handle(
      .open(clients[0], table: "jobs", request: 1, query: filtered, viewport: Viewport(count: 5), interval: .zero),
      at: now)
    engine.handle(
      .open(
        clients[1], table: "jobs", request: 1 << 52, query: QueryRequest(group: ["name"]), viewport: nil, interval: nil),
      at: now)
    engine.handle(
      .open(
        SessionID(rawValue: 3), table: "jobs", request: 1,
        query: QueryRequest(search: String(repeating: "x", count: 2000)), viewport: nil, interval: nil), at: now)
    for step in 0..<steps {
      for output in engine.advance(to: now) {
        outputs += 1
        switch output {
        case .deliver(let id, let delivery):
          engine.handle(.writable(id), at: now)
          engine.handle(.acknowledge(id, sequence: delivery.sequence), at: now)
        case .load(let table, let cells):
          for (place, cell) in cells.enumerated() {
            engine.handle(
              place % 2 == 0
                ? .loaded(table, cell.key, column: cell.column, .image("key"))
                : .failed(table, cell.key, column: cell.column, reason: "none"), at: now)
          }
        default: break
        }
      }
      var changes = Changeset()
      changes.update(.integer(Int64(step)), [nil, .number(-0.0), nil])
      changes.delete(.integer(Int64(49 - step % 10)))
      engine.handle(.changes(table, changes), at: now)
      if step == 5 {
        engine.handle(.collapse(clients[1], .path([.text("job 3")]), isCollapsed: true), at: now)
        engine.handle(
          .viewport(clients[0], Viewport(first: 3, count: 4, anchor: RowID(rawValue: 7), stick: nil)), at: now)
        engine.handle(.visibility(clients[1], isHidden: true), at: now)
      }
      if step == 12 { replace(clients[0], filtered) }
      now = now.advanced(by: .milliseconds(step * 37 % 400))
    }
    engine.handle(.close(clients[0]), at: now)
    _ = engine.advance(to: now)
  }

  /// Replaces the table by another one. Only one of the clients opens it.
  private mutating func replace(_ client: SessionID, _ query: QueryRequest) {
    var schema = Self.schema
    schema.title = "Other jobs"
    try? engine.replaceTable(table, with: schema, at: now)
    engine.handle(
      .changes(table, .reload((0..<9).map { (.integer($0), [.text("other \($0)"), .number(7), .null]) })), at: now)
    engine.handle(.open(client, table: "jobs", request: 2, query: query, viewport: nil, interval: .zero), at: now)
  }
}

/// A store in memory that can refuse to write.
final class MemoryStore: RecordStore, @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [UInt8] = []
  private var appends = 0
  private let refuses: @Sendable (Int) -> Bool

  /// `refuses` is asked with the number of the append, from 1.
  init(refuses: @escaping @Sendable (Int) -> Bool = { _ in false }) { self.refuses = refuses }

  var bytes: [UInt8] { lock.withLock { kept } }

  func append(_ bytes: [UInt8]) throws {
    try lock.withLock {
      appends += 1
      if refuses(appends) { throw FileStore.Failure(ENOSPC) }
      kept += bytes
    }
  }

  func close() {}
}

/// A file of its own that is gone afterwards.
func withFile<Result>(_ bytes: [UInt8] = [], _ body: (String) throws -> Result) throws -> Result {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).rowcast").path
  try Data(bytes).write(to: URL(fileURLWithPath: path))
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try body(path)
}

/// The bytes of a recording of a scenario.
func recordedBytes(steps: Int = 20) throws -> [UInt8] {
  let store = MemoryStore()
  let recording = Recording(store, RecordingHeader(epoch: "run", limits: Limits()))
  var scenario = try Scenario(recording)
  scenario.run(steps: steps)
  recording.close(within: .seconds(60))
  return store.bytes
}
