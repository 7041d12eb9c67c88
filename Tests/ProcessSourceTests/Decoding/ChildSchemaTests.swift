import ListEngine
import SourceTesting
import Testing

@testable import ProcessSource

/// The presentation in the `schema` message of programs.
@Suite struct ChildSchemaTests {
  private static let hello = #"{"type":"hello","version":1}"#

  @Test func `the presentation of a table and its columns is read`() {
    let line = #"""
      {"type":"schema","name":"t","key":"text","description":"d","icon":"⚙","newest":"top","changed":"at","view":{"sort":[{"column":"a"}],"where":"a > 5","group":["a"],"ranges":[{"column":"a","width":10}],"pinned":["a"]},"columns":[{"name":"a","type":"integer","description":"c","warn":1,"critical":[7],"history":9}]}
      """#
    guard case .source(.schema(let schema))? = decode([Self.hello, line]).last else {
      Issue.record("no schema")
      return
    }
    #expect(
      schema.presentation
        == TablePresentation(
          description: "d", icon: "⚙",
          view: DefaultView(
            sort: [NamedSortTerm("a")], text: "a > 5", group: ["a"], pinned: ["a"],
            ranges: [GroupingRequest("a", ranges: .width(.integer(10)))]), newest: .top, changed: "at"))
    #expect(schema.newest == .top)
    #expect(
      schema.columns[0].presentation
        == ColumnPresentation(description: "c", warning: .threshold(1), critical: .values([.integer(7)]), history: 9))
  }

  @Test(arguments: [
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text"}],"view":{"sort":[{"column":"b"}]}}"#,
      "schema: view.sort[0]: the table has no column “b”: name one of its columns"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text","warn":true}]}"#,
      "schema: columns[0].warn must be a number or a list of values, not a boolean"
    ),
  ])
  func `an invalid presentation refuses the schema`(_ line: String, _ reason: String) {
    let found = decode([Self.hello, line]).compactMap { event in
      switch event {
      case .refused(let reason), .badLine(let reason): reason
      default: nil
      }
    }
    #expect(found.contains { $0.contains(reason) }, "\(found)")
  }
}
