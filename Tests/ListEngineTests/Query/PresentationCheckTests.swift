import ListTesting
import Testing

@testable import ListEngine

/// The default view and the severity rules of a schema.
@Suite struct PresentationCheckTests {
  private static func schema(
    _ presentation: TablePresentation? = nil, load: ColumnPresentation? = nil, state: ColumnPresentation? = nil,
    better: BetterDirection? = nil
  ) -> Schema {
    Schema(
      name: "t", key: .integer,
      columns: [
        Column("load", .number, better: better, presentation: load), Column("state", .text, presentation: state),
        Column("threads", .integer), Column("secret", .text, audience: .operators),
      ], presentation: presentation)
  }

  private func fault(_ schema: Schema) -> String {
    do throws(SchemaError) {
      try schema.checkPresentation()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `a valid presentation is accepted`() {
    let view = DefaultView(
      sort: [NamedSortTerm("load", descending: true)], filter: .oneOf("state", [.text("up")]), text: "load > 5 up",
      group: ["state", "threads"],
      aggregates: [AggregateRequest(.sum, of: "load")], order: ["state"], hidden: ["threads"], pinned: ["state"],
      ranges: [GroupingRequest("threads", ranges: .width(.integer(10)))])
    let presentation = TablePresentation(description: "d", icon: "⚙", view: view)
    let state = ColumnPresentation(warning: .values([.text("late")]), critical: .values([.text("failed")]))
    #expect(fault(Self.schema(presentation, load: ColumnPresentation(warning: .threshold(1)), state: state)) == "")
  }

  @Test(arguments: [
    (DefaultView(sort: [NamedSortTerm("x")]), "view.sort[0]: the table has no column “x”: name one of its columns"),
    (DefaultView(group: ["load", "x"]), "view.group[1]: the table has no column “x”: name one of its columns"),
    (
      DefaultView(ranges: [GroupingRequest("load", ranges: .width(.integer(2)))]),
      "view.ranges[0]: the view does not group by “load”: name a column of “group”"
    ),
    (
      DefaultView(group: ["load"], ranges: [GroupingRequest("load")]),
      "view.ranges[0]: add “width” for numbers, or “unit” for times"
    ),
    (
      DefaultView(group: ["load"], ranges: [GroupingRequest("load", ranges: .unit(.day, offset: 0))]),
      "view: ranges[0].unit: “load” has numbers: use “width” instead of “unit”"
    ),
    (
      DefaultView(
        group: ["load"],
        ranges: [
          GroupingRequest("load", ranges: .width(.integer(2))), GroupingRequest("load", ranges: .width(.integer(3))),
        ]), "view.ranges[1]: “load” is named twice: name it once"
    ),
    (DefaultView(order: ["x"]), "view.order[0]: the table has no column “x”: name one of its columns"),
    (DefaultView(hidden: ["x"]), "view.hidden[0]: the table has no column “x”: name one of its columns"),
    (DefaultView(pinned: ["x"]), "view.pinned[0]: the table has no column “x”: name one of its columns"),
    (
      DefaultView(hidden: ["load", "state", "threads", "secret"]),
      "view.hidden: at least one column must stay visible"
    ),
    (
      DefaultView(aggregates: [AggregateRequest(.sum, of: "state")]),
      "view.aggregates[0]: the column “state” of type text has no sum"
    ),
    (
      DefaultView(filter: .compare("load", .greater, .text("x"))),
      "view.filter.value must be a number: the column “load” is of type number"
    ),
    (
      DefaultView(tiles: [TileRequest(), TileRequest(AggregateRequest(.sum, of: "state"))]),
      "view.tiles[1]: the column “state” of type text has no sum"
    ),
    (
      DefaultView(tiles: [TileRequest(filter: .isEmpty("x"))]),
      "view.tiles[0].filter: the table t has no column “x”"
    ),
    (
      DefaultView(tiles: (0..<7).map { _ in TileRequest() }), "view.tiles: at most 6 entries are allowed, not 7"
    ),
    (
      DefaultView(text: "load > 5 stat:up"),
      "view.where: character 10: there is no column “stat”: did you mean state?"
    ),
    (
      DefaultView(tiles: [TileRequest(AggregateRequest(.last, of: "state"))]),
      "view.tiles[0]: a tile has no last value: use another function"
    ),
    (DefaultView(order: ["load", "state", "load"]), "view.order[2]: “load” is named twice: name it once"),
    (DefaultView(sort: (0..<9).map { _ in NamedSortTerm("load") }), "view.sort: at most 8 entries are allowed, not 9"),
  ])
  func `an invalid part of a view is refused with its place`(_ view: DefaultView, _ reason: String) {
    let found = fault(Self.schema(TablePresentation(view: view)))
    #expect(found == reason)
  }

  @Test func `warning rules that do not fit their columns are refused`() {
    #expect(
      fault(Self.schema(state: ColumnPresentation(warning: .threshold(1))))
        == "columns[1].warn: “state” is of type text: list the values instead of a threshold")
    #expect(fault(Self.schema(load: ColumnPresentation(critical: .threshold(.nan)))).hasPrefix("columns[0].critical"))
    #expect(fault(Self.schema(load: ColumnPresentation(critical: .values([.text("x")])))).contains("must be a number"))
    #expect(fault(Self.schema(TablePresentation(icon: String(repeating: "⚙", count: 20)))).hasPrefix("icon: "))
  }

  @Test func `an engine refuses a table with an invalid view`() {
    var engine = Engine(epoch: "e")
    let view = TablePresentation(view: DefaultView(group: ["x"]))
    #expect(throws: SchemaError.self) { try engine.addTable(Self.schema(view), at: .zero) }
  }

  @Test func `the restricted view lacks parts that name operator columns`() {
    let view = DefaultView(
      sort: [NamedSortTerm("secret"), NamedSortTerm("load")], filter: .all([.isEmpty("load"), .isEmpty("secret")]),
      group: ["secret"], aggregates: [AggregateRequest(.distinct, of: "secret")], order: ["secret", "state"],
      hidden: ["secret"], pinned: ["secret"])
    let schema = Self.schema(TablePresentation(view: view)).restricted
    #expect(
      schema.presentation
        == TablePresentation(view: DefaultView(sort: [NamedSortTerm("load")], order: ["state"])))
  }

  @Test func `the restricted view lacks a text that names operator columns`() {
    func text(_ text: String) -> String? {
      Self.schema(TablePresentation(view: DefaultView(text: text))).restricted.presentation?.view.text
    }
    #expect(text("load > 5 up") == "load > 5 up")
    #expect(text("load > 5 secret:x") == nil)
  }
}
