import ListEngine
import Testing
import Wire

/// The `tiles` message of clients.
@Suite struct TilesMessageTests {
  private func decode(_ json: String) throws(ClientError) -> ClientMessage {
    try ClientMessage(decoding: Array(json.utf8))
  }

  @Test func `tiles are decoded with their filter`() throws {
    let message = try decode(
      """
      {"type":"tiles","id":3,"tiles":[{"function":"count"},{"function":"sum","column":"cpu"},
       {"function":"count","filter":{"column":"cpu","op":">=","value":80}}]}
      """)
    #expect(
      message
        == .tiles(
          id: 3,
          [
            .tile(TileRequest()), .tile(TileRequest(AggregateRequest(.sum, of: "cpu"))),
            .tile(TileRequest(filter: .compare("cpu", .greaterOrEqual, .integer(80)))),
          ]))
  }

  @Test func `a tile is decoded with its filter text`() throws {
    let message = try decode(
      """
      {"type":"tiles","id":3,"tiles":[{"function":"count","where":"cpu > 5","zone":60},
       {"function":"count","where":""}]}
      """)
    #expect(
      message
        == .tiles(
          id: 3, [.tile(TileRequest(), written: WrittenFilter("cpu > 5", zone: 60)), .tile(TileRequest())]))
  }

  @Test(arguments: [
    ("{}", "tiles[0].function is missing"), ("7", "tiles[0] must be an object, not a number"),
    (#"{"function":"sum"}"#, "tiles[0].column is missing"),
    (
      #"{"function":"middle","column":"a"}"#,
      "tiles[0].function must be one of “sum”, “mean”, “min”, “max”, “distinct”, “median”, “p1”, "
        + "“p5”, “p10”, “p90”, “p95”, “p99”, “first”, “last”, or “count” for the number of rows"
    ),
    (#"{"function":"count","where":7}"#, "tiles[0].where must be a text, not a number"),
    (#"{"function":"count","filter":{}}"#, "tiles[0].filter must have one of all, any, not and column"),
  ])
  func `a malformed tile does not affect the others`(_ tile: String, _ reason: String) throws {
    guard case .tiles(_, let tiles) = try decode(#"{"type":"tiles","id":1,"tiles":[\#(tile),{"function":"count"}]}"#),
      case .malformed(let error) = tiles[0]
    else {
      Issue.record("the message has another form")
      return
    }
    #expect(error.reason == reason)
    #expect(tiles[1] == .tile(TileRequest()))
  }

  @Test func `decoding refuses more tiles than a session may have`() {
    let tiles = Array(repeating: #"{"function":"count"}"#, count: 25).joined(separator: ",")
    #expect(throws: ClientError.self) { try decode(#"{"type":"tiles","id":1,"tiles":[\#(tiles)]}"#) }
  }
}
