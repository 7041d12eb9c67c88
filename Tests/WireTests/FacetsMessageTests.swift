import ListEngine
import Testing
import Wire

/// The `facets` messages of clients and of the server.
@Suite struct FacetsMessageTests {
  private func decode(_ json: String) throws(ClientError) -> ClientMessage {
    try ClientMessage(decoding: Array(json.utf8))
  }

  @Test func `facets are decoded with their zone`() throws {
    let message = try decode(
      #"{"type":"facets","id":3,"facets":[{"column":"state"},{"column":"started","zone":-90}]}"#)
    #expect(
      message == .facets(id: 3, [.facet(FacetRequest("state")), .facet(FacetRequest("started", zone: -90))]))
  }

  @Test(arguments: [
    ("{}", "facets[0].column is missing"), ("7", "facets[0] must be an object, not a number"),
    (#"{"column":7}"#, "facets[0].column must be a text, not a number"),
    (#"{"column":"a","zone":"UTC"}"#, "facets[0].zone must be a number, not a text"),
    (#"{"column":"a","zone":9999}"#, "facets[0].zone must be between -1440 and 1440, not 9999"),
  ])
  func `a malformed facet does not affect the others`(_ facet: String, _ reason: String) throws {
    guard
      case .facets(_, let facets) = try decode(#"{"type":"facets","id":1,"facets":[\#(facet),{"column":"a"}]}"#),
      case .malformed(let error) = facets[0]
    else {
      Issue.record("the message has another form")
      return
    }
    #expect(error.reason == reason)
    #expect(facets[1] == .facet(FacetRequest("a")))
  }

  @Test func `decoding refuses more facets than a session may have`() {
    let facets = Array(repeating: #"{"column":"a"}"#, count: 9).joined(separator: ",")
    #expect(throws: ClientError.self) { try decode(#"{"type":"facets","id":1,"facets":[\#(facets)]}"#) }
  }

  @Test func `edges of times and large integers have the wire format`() {
    let counts = FacetCounts(
      .ranges(edges: [.timestamp(1_500_000), .timestamp(2_000_000)], rows: [1, 2, 3]), emptyRows: 4)
    let great = FacetCounts(.ranges(edges: [.integer(1 << 60)], rows: [0, 1]), emptyRows: 0)
    let reports = FacetReports(
      id: 7, facets: [FacetReports.Entry(0, .counts(counts)), FacetReports.Entry(2, .counts(great))])
    #expect(
      String(decoding: ServerMessage.facets(reports).encoded, as: UTF8.self)
        == #"{"type":"facets","id":7,"facets":[{"at":0,"edges":[1.5,2],"rows":[1,2,3],"empty":4},"#
        + #"{"at":2,"edges":["1152921504606846976"],"rows":[0,1],"empty":0}]}"#)
  }
}
