import ListEngine
import ListTesting
import Testing

@testable import Recording

/// Tests that exports of windowed tables leave a recording as it is.
@Suite struct ExportRecordingTests {
  /// Records a session on a windowed table during an export, and counts the exported rows.
  private func recorded(exports: Bool) throws -> (bytes: [UInt8], rows: Int) {
    let store = MemoryStore()
    let recording = Recording(store, RecordingHeader(epoch: "run", limits: Limits()))
    var engine = Engine(epoch: "run")
    engine.observer = recording
    var now = Instant(nanoseconds: 5_000_000_000)
    var source = ScriptedWindowedSource(
      Schema(
        name: "numbers", key: .integer, columns: [Column("n", .integer)],
        prefetch: PrefetchPolicy(inFlight: 2), windowed: WindowedCapabilities(sort: [0], paging: .offset)))
    for n in 0..<3_500 { source.upsert(.integer(Int64(n)), [.integer(Int64(n))]) }
    let table = try engine.addTable(source.schema, at: now)
    let client = SessionID(rawValue: 1)
    let id = exports ? try engine.beginExport(of: "numbers", QueryRequest(sort: [("n", true)])) : nil
    var rows = 0
    for step in 0..<40 {
      if step == 2 {
        engine.handle(
          .open(
            client, table: "numbers", request: 1, query: QueryRequest(), viewport: Viewport(count: 5), interval: .zero),
          at: now)
      }
      if step == 20 { engine.handle(.sourceChanged(table), at: now) }
      for output in engine.advance(to: now) {
        source.take(output, at: now) { .init(after: $0.id.isForExport ? .zero : .milliseconds(150)) }
        guard case .deliver(_, let delivery) = output else { continue }
        engine.handle(.writable(client), at: now)
        engine.handle(.acknowledge(client, sequence: delivery.sequence), at: now)
      }
      for input in source.answers(until: now, table) { engine.handle(input, at: now) }
      if let id, case .rows(let more) = engine.read(id, rows: 10_000) { rows += more.count }
      now = now.advanced(by: .milliseconds(100))
    }
    if let id { engine.endExport(id) }
    recording.close(within: .seconds(60))
    #expect(source.mistakes == [])
    return (store.bytes, rows)
  }

  @Test func `an export leaves the recording unchanged`() throws {
    let (bytes, rows) = try recorded(exports: true)
    #expect(rows == 3_500)
    let report = try withFile(bytes) { try Verification.run(path: $0) }
    #expect(report.firstDifference == nil)
    #expect(report.answers == 40)
    #expect(report.outputs > 3)
    // Who was sent what, and what the source was asked for it, is the same without.
    let plain = try recorded(exports: false)
    #expect(plain.rows == 0)
    #expect(plain.bytes == bytes)
  }
}
