import ListEngine
import Testing

@testable import Wire

@Suite struct SectionOrderDecodingTests {
  private func sections(_ text: String) throws -> [SectionOrderRequest] {
    let message = try ClientMessage(decoding: Array(#"{"type":"query","request":1,"query":\#(text)}"#.utf8))
    guard case .query(_, let query, _) = message else { return [] }
    #expect(query.fault == nil)
    return query.sections
  }

  @Test func `an order is by value, by count or by an aggregate`() throws {
    let found = try sections(
      #"""
      {"group":["a","b","c"],"sections":[{"column":"a","by":"count","descending":true},{"column":"b","by":"value"},
       {"column":"c","by":{"column":"cpu","function":"p95"},"descending":false}]}
      """#)
    #expect(
      found == [
        SectionOrderRequest("a", by: .count, descending: true), SectionOrderRequest("b", by: .value),
        SectionOrderRequest("c", by: .aggregate(AggregateRequest(.p95, of: "cpu"))),
      ])
    #expect(try sections(#"{"group":["a"],"sections":null}"#).isEmpty)
  }

  @Test(arguments: [
    (#"{"by":"count"}"#, "query.sections[0].column is missing"),
    (#"{"column":"a"}"#, "query.sections[0].by is missing"),
    (#"{"column":"a","by":"size"}"#, "query.sections[0].by must be “value”, “count” or an aggregate"),
    (#"{"column":"a","by":7}"#, "query.sections[0].by must be “value”, “count” or an aggregate, not a number"),
    (#"{"column":"a","by":{"column":"b"}}"#, "query.sections[0].by.function is missing"),
    ("7", "query.sections[0] must be an object, not a number"),
  ])
  func `a malformed order is refused with a reason`(_ order: String, _ reason: String) throws {
    let text = #"{"type":"query","request":1,"query":{"group":["a"],"sections":[\#(order)]}}"#
    guard case .query(_, let query, _) = try ClientMessage(decoding: Array(text.utf8)) else {
      Issue.record("it is another message")
      return
    }
    #expect(query.fault?.error.reason == reason)
    #expect(query.fault?.at == ["query.sections[0]"])
  }
}
