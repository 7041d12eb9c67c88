import Foundation
import ListEngine
import Testing
import Threads

@testable import Server

/// Tests of the requests to sources, and of their reported states.
@Suite struct SourceTests {
  private static let schema = Schema(
    name: "gallery", key: .integer, columns: [Column("n", .integer), Column("picture", .text, isDeferred: true)])

  private func rows(_ count: Int) -> Changeset {
    var changes = Changeset()
    for n in 0..<count { changes.upsert(.integer(Int64(n)), [.integer(Int64(n)), .null]) }
    return changes
  }

  /// Returns the last cells of the rows in a window or patch.
  private func cell(_ message: [String: Any]) -> [String] {
    let items = message["items"] as? [[Any]] ?? []
    let shown = items.compactMap { ($0.last as? [Any])?.last }.map { "\($0)" }
    let updated = (message["updated"] as? [[Any]] ?? []).compactMap { $0.last }.map { "\($0)" }
    return shown + updated
  }

  /// The client received the list of tables earlier, and no session had the table open at the
  /// change.
  @Test func `sends a source state changed since hello when a table opens`() throws {
    let server = try RunningServer()
    let inlet = server.control.addSource("numbers")
    inlet.report(.schema(RunningServer.schema))
    var client = try WebSocketClient(port: server.port)
    var tables: [Any] = []
    while tables.isEmpty {
      client = try WebSocketClient(port: server.port)
      client.send(#"{"type":"hello","version":1}"#)
      tables = try client.message("hello")["tables"] as? [Any] ?? []
    }
    #expect(((tables[0] as? [String: Any])?["source"] as? [String: Any])?["state"] as? String == "starting")
    inlet.report(.state(.stale, message: "gone"))
    // Other clients learn the state from their `hello`.
    var state: String?
    while state != "stale" {
      let other = try WebSocketClient(port: server.port)
      other.send(#"{"type":"hello","version":1}"#)
      let reported = try other.message("hello")["tables"] as? [[String: Any]]
      state = (reported?.first?["source"] as? [String: Any])?["state"] as? String
    }
    client.send(#"{"type":"open","table":"numbers","request":1,"viewport":{"first":0,"count":10}}"#)
    let status = try client.message("status")
    #expect((status["source"] as? [String: Any])?["state"] as? String == "stale")
    #expect(status["table"] as? String == "numbers")
  }

  @Test func `rows stay when a source adds columns`() throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(3)
    var wider = RunningServer.schema
    wider.columns.append(Column("note", .text))
    inlet.report(.columnsAdded(wider))
    var changes = Changeset()
    changes.upsert(.integer(3), [.integer(3), .text("row 3"), .text("new")])
    inlet.report(.changes(changes))
    var body = ""
    let deadline = RawSocket.now() + RawSocket.patience
    while !body.contains("new"), RawSocket.now() < deadline {
      body = String(decoding: try HTTPAnswer.get("/tables/numbers.csv", port: server.port)?.body ?? [], as: UTF8.self)
    }
    for n in 0...3 { #expect(body.contains("row \(n)")) }
  }

  @Test func `requests deferred cells of visible rows and sends the results`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.control.addSource("gallery")
    let requested = Guarded<[DeferredCell]>([])
    inlet.listen { [weak inlet] request in
      guard case .load(let cells) = request, let inlet else { return }
      requested.withLock { $0 += cells }
      // Leave the loop's thread, because it must not wait for room in the inlet.
      Thread.detachNewThread {
        for cell in cells {
          if cell.key == .integer(1) {
            inlet.report(.notLoaded(cell.key, column: cell.column, reason: "no film"))
          } else {
            inlet.report(.loaded(cell.key, column: cell.column, .text("picture of \(cell.key)")))
          }
        }
      }
    }
    inlet.report(.schema(Self.schema))
    inlet.report(.changes(rows(3)))
    let client = try WebSocketClient.open("gallery", port: server.port)
    var seen: Set<String> = []
    var sequence = 1
    while !(seen.contains("picture of 0") && seen.contains("picture of 2") && seen.contains { $0.contains("no film") })
    {
      client.send(#"{"type":"ack","seq":\#(sequence)}"#)
      let patch = try client.message("patch")
      sequence = try #require(patch["seq"] as? Int)
      seen.formUnion(cell(patch))
    }
    #expect(Set(requested.withLock { $0 }.map(\.key)) == [.integer(0), .integer(1), .integer(2)])
  }

  @Test func `lists tables in the order of their sources`() throws {
    let server = try RunningServer()
    let names = (1...12).map { "table-\(13 - $0)" }
    let inlets = names.map { server.control.addSource($0) }
    for (inlet, name) in zip(inlets, names) {
      inlet.report(.schema(Schema(name: name, key: .integer, columns: [Column("n", .integer)])))
    }
    var reported: [String] = []
    let deadline = RawSocket.now() + RawSocket.patience
    while reported.count < names.count, RawSocket.now() < deadline {
      let client = try WebSocketClient(port: server.port)
      client.send(#"{"type":"hello","version":1,"client":"test"}"#)
      let tables = try #require(try client.message("hello")["tables"] as? [[String: Any]])
      reported = tables.compactMap { $0["name"] as? String }
    }
    #expect(reported == names)
  }

  @Test func `fails deferred cells if the source takes no requests`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.control.addSource("gallery")
    inlet.report(.schema(Self.schema))
    inlet.report(.changes(rows(1)))
    let client = try WebSocketClient.open("gallery", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    #expect(cell(try client.message("patch")).contains { $0.contains("its source is not running") })
  }

  @Test func `reports the retry time of a source until it is live`() throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(3)
    let client = try WebSocketClient.open("numbers", port: server.port)
    inlet.report(.state(.backingOff, message: "exited with code 1", retry: .seconds(20)))
    var source: [String: Any] = [:]
    while source["state"] as? String != "backingOff" {
      source = try #require(try client.message("status")["source"] as? [String: Any])
    }
    #expect(source["message"] as? String == "exited with code 1")
    let retry = try #require(source["retry"] as? Int)
    #expect((1...20_000).contains(retry))
    inlet.report(.state(.live, message: ""))
    while source["state"] as? String != "live" {
      source = try #require(try client.message("status")["source"] as? [String: Any])
    }
    #expect(source["retry"] == nil)
  }
}
