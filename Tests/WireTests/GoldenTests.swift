import Foundation
import Testing
import Wire

@testable import ListEngine

/// Tests that the golden messages are decoded and encoded exactly, member by member.
@Suite struct GoldenTests {
  @Test func `golden files of each kind exist`() {
    #expect(!Golden.files("client-").isEmpty)
    #expect(!Golden.files("server-").isEmpty)
    #expect(!Golden.files("sequence-").isEmpty)
  }

  @Test(arguments: Golden.files("client-")) func `decodes golden client messages without error`(_ file: String) throws {
    let message = try #require(try Golden.read(file)["message"])
    let bytes = try JSONSerialization.data(withJSONObject: message)
    #expect(throws: Never.self) { try ClientMessage(decoding: Array(bytes)) }
  }

  @Test(arguments: Golden.files("server-")) func `encodes golden server messages other than patches`(_ file: String)
    throws
  {
    let message = try #require(try Golden.read(file)["message"] as? [String: Any])
    let epoch = message["epoch"] as? String ?? ""
    let schema = Golden.schema(for: [message])
    switch message["type"] as? String {
    case "hello":
      let server = try #require(message["server"] as? String)
      let token = message["session"] as? String ?? ""
      try expect(
        .hello(
          server: server, epoch: epoch, token: token,
          alive: (message["alive"] as? Int).map { .milliseconds($0) }, tables: Golden.tables(message),
          sources: Golden.sources(message)), message)
    case "alive": try expect(.alive, message)
    case "tables":
      try expect(.tables(Golden.tables(message)), message)
    case "sources": try expect(.sources(Golden.sources(message)), message)
    case "status":
      let table = try #require(message["table"] as? String)
      try expect(.status(table: table, Golden.source(message["source"])), message)
    case "waiting":
      let (changed, rows) = (try #require(message["changed"] as? Int), try #require(message["rows"] as? Int))
      try expect(.waiting(Waiting(changed: changed, rows: rows)), message)
    case "tiles":
      let id = UInt64(try #require(message["id"] as? Int))
      let tiles = try #require(message["tiles"] as? [[String: Any]]).map { try Golden.tile($0) }
      try expect(.tiles(TileReports(id: id, tiles: tiles)), message)
    case "facets":
      let id = UInt64(try #require(message["id"] as? Int))
      let facets = try #require(message["facets"] as? [[String: Any]]).map { try Golden.facet($0) }
      try expect(.facets(FacetReports(id: id, facets: facets)), message)
    case "pins":
      let rows = try #require(message["rows"] as? [[Any]]).map { entry in
        PinReports.Entry(try #require(entry[0] as? Int), try (entry[1] as? [Any]).map { try Golden.pinnedRow($0) })
      }
      try expect(.pins(PinReports(id: UInt64(try #require(message["id"] as? Int)), rows: rows)), message)
    case "stats": try expect(.stats(Golden.stats(message)), message)
    case "window":
      let patch = try Golden.firstWindow(message, schema)
      try expect(.delivery(Golden.delivery(message, patch, schema), epoch: epoch), message)
    case "acted":
      let id = UInt64(try #require(message["id"] as? Int))
      try expect(.acted(id: id, token: message["session"] as? String, Golden.outcome(message)), message)
    case "named":
      let rows = try #require(message["rows"] as? [[Any]]).map { row in
        (id: RowID(rawValue: UInt64(try #require(row[0] as? Int))), key: try Golden.key(row[1]))
      }
      try expect(.named(id: UInt64(try #require(message["id"] as? Int)), rows), message)
    case "located":
      let rows = try #require(message["rows"] as? [[Any]]).map { row in
        LocatedRow(
          try Golden.key(row[0]), id: RowID(rawValue: UInt64(try #require(row[1] as? Int))), position: row[2] as? Int)
      }
      try expect(.located(id: UInt64(try #require(message["id"] as? Int)), rows), message)
    case "error" where message["request"] != nil:
      let refusal = try Golden.refusal(message)
      try expect(.refused(refusal), message)
    case "patch", "error":
      // Patches need their window, so the sequences cover both; the text of errors is not
      // specified.
      break
    case let type:
      Issue.record("\(file) has the type \(type ?? "none")")
    }
  }

  @Test(arguments: Golden.files("sequence-")) func `encodes golden sequences of a window and its patches`(
    _ file: String
  ) throws {
    let golden = try Golden.read(file)
    let window = try #require(golden["window"] as? [String: Any])
    let patches = try #require(golden["patches"] as? [[String: Any]])
    let schema = Golden.schema(for: [window] + patches)
    let epoch = try #require(window["epoch"] as? String)
    var patch = try Golden.firstWindow(window, schema)
    try expect(.delivery(Golden.delivery(window, patch, schema), epoch: epoch), window)
    for message in patches {
      patch = try Golden.patch(message, from: patch.result, schema)
      try expect(.delivery(Golden.delivery(message, patch, schema), epoch: epoch), message)
    }
  }

  /// Compares the encoded message, including the digest that the engine computes.
  private func expect(_ message: ServerMessage, _ golden: [String: Any]) throws {
    let written = try #require(try JSONSerialization.jsonObject(with: Data(message.encoded)) as? [String: Any])
    #expect(Golden.canonical(written) == Golden.canonical(golden))
  }
}
