import ListEngine
import Testing

@testable import ListPlugin
@testable import LibrarySource

/// The extension `view` of a shared library.
@Suite struct ViewReaderTests {
  private typealias Column = ListPlugin.Column

  private func complete(_ json: String, _ schema: ListPlugin.Schema) -> (schema: ListEngine.Schema?, reason: String) {
    do {
      var read = try schema.withCSchema { try SchemaReader.read($0).0 }
      try json.withCString { try ViewReader.read($0).complete(&read) }
      return (read, "")
    } catch let fault as SchemaReader.Fault {
      return (nil, fault.reason)
    } catch {
      return (nil, "\(error)")
    }
  }

  private static let columns = [Column("load", .number), Column("state", .text), Column("kernel", .boolean)]

  @Test func `all members of a Swift view reach the schema`() throws {
    let columns = [
      Column("load", .number, description: "A \"share\"\n\\", warning: .from(80), critical: .from(95.5), history: 30),
      Column("state", .text, warning: .values(["late"])), Column("kernel", .boolean),
    ]
    let filter = RowFilter.all([
      .not(.isOne(of: ["a", 1], in: "state")), .any([.atLeast(1, in: "load"), .atMost(0.5, in: "load")]),
      .contains("ü", in: "state"), .isEmpty("kernel"),
    ])
    let view = TableView(
      description: "d", icon: "⚙", sort: [.descending("load"), .ascending("state")],
      filter: .not(.isOne(of: [true], in: "kernel")), group: ["state", "load"],
      aggregates: [ListPlugin.Aggregate(.mean, of: "load")],
      order: ["state"], hidden: ["kernel"], pinned: ["state"],
      tiles: [
        Tile(where: .isOne(of: ["late"], in: "state")), Tile("Load", ListPlugin.Aggregate(.max, of: "load")),
      ], severity: "state", newest: .top, changed: "touched", ranges: [.width(10, of: "load")])
    let schema = ListPlugin.Schema("s", key: .integer, columns: columns, view: view)
    let document = try #require(schema.viewDocument)
    let read = try #require(complete(document, schema).schema)
    #expect(
      read.columns[0].presentation
        == ColumnPresentation(
          description: "A \"share\"\n\\", warning: .threshold(80), critical: .threshold(95.5), history: 30))
    #expect(read.columns[1].presentation == ColumnPresentation(warning: .values([.text("late")])))
    #expect(read.columns[2].presentation == nil)
    #expect(
      read.presentation
        == TablePresentation(
          description: "d", icon: "⚙",
          view: DefaultView(
            sort: [NamedSortTerm("load", descending: true), NamedSortTerm("state")],
            filter: .not(.oneOf("kernel", [.boolean(true)])), group: ["state", "load"],
            aggregates: [AggregateRequest(.mean, of: "load")], order: ["state"], hidden: ["kernel"], pinned: ["state"],
            tiles: [
              TileRequest(filter: .oneOf("state", [.text("late")])),
              TileRequest(title: "Load", AggregateRequest(.max, of: "load")),
            ],
            ranges: [GroupingRequest("load", ranges: .width(.integer(10)))]), severity: "state", newest: .top,
          changed: "touched"))
    let odd = ListPlugin.Schema("s", key: .integer, columns: columns, view: TableView(filter: filter))
    let oddDocument = try #require(odd.viewDocument)
    #expect(complete(oddDocument, odd).reason.hasPrefix("view: view.filter.all[0].not.values[1] must be a text"))
  }

  @Test func `a schema without a view has no document`() {
    #expect(ListPlugin.Schema("s", key: .integer, columns: Self.columns).viewDocument == nil)
  }

  @Test(arguments: [
    ("[]", "the message must be an object, not a list"), ("{", "the document is not JSON: "),
    (#"{"columns":{"x":{"warn":1}}}"#, "view: columns names “x”, which the table does not have"),
    (#"{"columns":[]}"#, "columns must be an object, not a list"),
    (#"{"columns":{"load":{"warn":"x"}}}"#, "columns.load.warn must be a number or a list of values, not a text"),
    (#"{"view":{"sort":[{}]}}"#, "view.sort[0].column is missing"),
    (#"{"view":{"hidden":["x"]}}"#, "view: view.hidden[0]: the table has no column “x”: name one of its columns"),
    (
      #"{"view":{"aggregates":[{"function":"mode","column":"load"}]}}"#,
      "view.aggregates[0].function must be one of "
    ),
    (#"{"icon":7}"#, "icon must be a text, not a number"),
    (#"{"newest":"left"}"#, "newest must be “top” or “end”"),
  ])
  func `an invalid document is refused with its place`(_ json: String, _ reason: String) {
    let found = complete(json, ListPlugin.Schema("s", key: .integer, columns: Self.columns)).reason
    #expect(found.hasPrefix(reason), "\(found)")
  }

  @Test func `a document that is too long is refused`() {
    let json = "{\"description\":\"\(String(repeating: "x", count: 1 << 18))\"}"
    let found = complete(json, ListPlugin.Schema("s", key: .integer, columns: Self.columns)).reason
    #expect(found == "the document has more than 262144 bytes")
  }
}
