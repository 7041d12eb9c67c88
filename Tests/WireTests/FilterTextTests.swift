import Foundation
import ListEngine
import Testing

@testable import Wire

/// Tests of the language of docs/filtering.md, by the cases in `Tests/Fixtures/filters`.
@Suite struct FilterTextTests {
  @Test func `parses each golden text as specified`() throws {
    let golden = try Self.golden()
    let columns = try #require(golden["columns"] as? [[String: Any]]).map { object in
      Column(
        try #require(object["name"] as? String), try #require(ColumnType(rawValue: object["type"] as? String ?? "")),
        title: object["title"] as? String ?? "",
        style: ColumnStyle(rawValue: object["style"] as? String ?? "") ?? .plain,
        unit: object["unit"] as? String ?? "", format: (object["format"] as? String).flatMap { ColumnFormat($0) })
    }
    let schema = Schema(name: "golden", key: .integer, columns: columns)
    let cases = try #require(golden["cases"] as? [[String: Any]])
    #expect(cases.count > 50)
    for one in cases {
      let text = try #require(one["text"] as? String)
      let reading = FilterReading(WrittenFilter(text), schema: schema, caret: one["caret"] as? Int)
      let bytes = ServerMessage.parsed(id: 1, reading).encoded
      var parsed = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
      #expect(parsed.removeValue(forKey: "type") as? String == "parsed")
      #expect(parsed.removeValue(forKey: "id") as? Int == 1)
      #expect(parsed as NSDictionary == one["parsed"] as? NSDictionary, "\(text)")
    }
  }

  @Test func `refuses texts, lists and terms beyond their limits`() {
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .text), Column("n", .integer)])
    let texts = [
      String(repeating: "x", count: 4_097), String(repeating: "x ", count: 101),
      "a = " + String(repeating: "x", count: 1_001), "n in (" + String(repeating: "1,", count: 1_000) + "1)",
    ]
    for text in texts {
      #expect(throws: FilterText.Fault.self, "\(text.prefix(20))") { try FilterText(text, schema: schema) }
    }
    #expect(throws: Never.self) { try FilterText(String(repeating: "x ", count: 100), schema: schema) }
  }

  @Test func `refuses searches for many words in many columns`() {
    let columns = (0..<200).map { Column("c\($0)", .text) }
    let schema = Schema(name: "t", key: .integer, columns: columns)
    #expect(throws: Never.self) { try FilterText("a b c d e", schema: schema) }
    #expect(throws: FilterText.Fault.self) { try FilterText("a b c d e f", schema: schema) }
  }

  @Test func `reads times in the zone of the client`() throws {
    let schema = Schema(name: "t", key: .integer, columns: [Column("at", .timestamp)])
    let hour: Int64 = 3_600_000_000_000
    let day: Int64 = 1_795_564_800_000_000_000
    #expect(
      try FilterText("at >= 2026-11-25", schema: schema, zone: 120).filter
        == .compare("at", .greaterOrEqual, .timestamp(day - 2 * hour)))
    #expect(
      try FilterText("at >= \"2026-11-25 00:00Z\"", schema: schema, zone: 120).filter
        == .compare("at", .greaterOrEqual, .timestamp(day)))
  }

  @Test func `leaves one word to the search of a windowed source`() throws {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("a", .text), Column("n", .integer)], windowed: WindowedCapabilities())
    let text = try FilterText("n > 5 ssh foo", schema: schema)
    #expect(text.search == "ssh")
    #expect(text.filter == .all([.compare("n", .greater, .integer(5)), .contains("a", "foo")]))
  }

  @Test func `a query and an export decode a filter text and its zone`() throws {
    let bytes = Array(#"{"type":"query","request":1,"query":{"where":"cpu > 5","zone":60}}"#.utf8)
    guard case .query(_, let query, _) = try ClientMessage(decoding: bytes) else { return #expect(Bool(false)) }
    #expect(query.written == WrittenFilter("cpu > 5", zone: 60))
    let export = try QueryRequest(arguments: ["where=cpu > 5", "zone=60"], limits: Limits())
    #expect(export.written == query.written)
    #expect(throws: ClientError.self) { try QueryRequest(arguments: ["zone=x"], limits: Limits()) }
  }

  private static func golden() throws -> [String: Any] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/filters/texts.json")
    return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
  }
}
