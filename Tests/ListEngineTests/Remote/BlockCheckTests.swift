import Testing

@testable import ListEngine

/// Blocks of a windowed source are checked against the request.
@Suite struct BlockCheckTests {
  static let schema = Schema(
    name: "t", key: .integer,
    columns: [
      Column("text", .text), Column("natural", .text, collation: .natural),
      Column("german", .text, collation: .locale("de")), Column("integer", .integer), Column("number", .number),
      Column("time", .timestamp),
    ])

  private static func block(_ column: Int, _ cells: [Cell]) -> [RowBlock.Row] {
    cells.enumerated().map { number, cell in
      (.integer(Int64(number)), (0..<6).map { $0 == column ? cell : .null })
    }
  }

  private static func fault(_ query: Query, _ column: Int, _ cells: [Cell], section: [Cell] = []) -> BlockCheck.Fault? {
    BlockCheck(schema, query, section: section).fault(in: block(column, cells))
  }

  private func isSorted(_ column: Int, _ cells: [Cell], descending: Bool = false) -> Bool {
    Self.fault(Query(sort: [SortTerm(column, descending: descending)]), column, cells) == nil
  }

  private func passes(_ filter: Filter<Int>, _ cell: Cell) -> Bool? {
    BlockCheck(Self.schema, Query(filter: filter)).passes(Self.block(filter.testColumn, [cell])[0].cells)
  }

  @Test func `rows out of order are a fault in either direction`() {
    #expect(isSorted(3, [.integer(1), .integer(1), .integer(2)]))
    #expect(!isSorted(3, [.integer(2), .integer(1)]))
    #expect(isSorted(3, [.integer(2), .integer(1)], descending: true))
    #expect(!isSorted(3, [.integer(1), .integer(2)], descending: true))
    #expect(
      Self.fault(Query(sort: [SortTerm(3)]), 3, [.integer(1), .integer(3), .integer(2)])
        == .order(.integer(2), after: .integer(1), column: 3))
  }

  @Test func `empty cells come last in either direction`() {
    for isDescending in [false, true] {
      #expect(isSorted(3, [.integer(1), .null, .null], descending: isDescending))
      #expect(!isSorted(3, [.null, .integer(1)], descending: isDescending))
    }
  }

  @Test func `texts are in the order of their collation`() {
    #expect(isSorted(0, [.text("Z"), .text("a")]))
    #expect(!isSorted(0, [.text("a"), .text("Z")]))
    #expect(isSorted(1, [.text("a9"), .text("A10"), .text("Z")]))
    #expect(!isSorted(1, [.text("A10"), .text("a9")]))
    // Texts that differ only in case may come in any order.
    #expect(isSorted(1, [.text("B"), .text("b"), .text("B")]))
    // With a locale, only a list that is not sorted at all is a fault.
    #expect(isSorted(2, [.text("a"), .text("ä"), .text("b"), .text("z"), .text("ö"), .text("zz"), .text("zzz")]))
    #expect(
      isSorted(2, [.text("a"), .text("B"), .text("c"), .text("D"), .text("e"), .text("F")]), "whatever their case")
    #expect(!isSorted(2, [.text("z"), .text("a"), .text("y"), .text("b"), .text("x")]))
  }

  @Test func `nearly equal numbers and times may be in either order`() {
    #expect(isSorted(4, [.number(0.100_000_001), .number(0.1)]))
    #expect(!isSorted(4, [.number(0.2), .number(0.1)]))
    #expect(!isSorted(4, [.integer(2), .number(1)]))
    #expect(isSorted(5, [.timestamp(1_000_000_000_900_000), .timestamp(1_000_000_000_000_000)]))
    #expect(!isSorted(5, [.timestamp(1_000_000_001_000_000), .timestamp(1_000_000_000_000_000)]))
    #expect(isSorted(5, [.timestamp(.min), .timestamp(.max)]))
    #expect(!isSorted(5, [.timestamp(.max), .timestamp(.min)]))
  }

  @Test func `the second sort column decides between ties of the first`() {
    let check = BlockCheck(Self.schema, Query(sort: [SortTerm(3), SortTerm(0, descending: true)]))
    func rows(_ pairs: [(Int64, String)]) -> [RowBlock.Row] {
      pairs.map { (.integer($0.0), [.text($0.1), .null, .null, .integer($0.0), .null, .null]) }
    }
    #expect(check.fault(in: rows([(1, "b"), (1, "a"), (2, "z")])) == nil)
    #expect(check.fault(in: rows([(1, "a"), (1, "b")])) == .order(.integer(1), after: .integer(1), column: 0))
  }

  @Test func `rows that the filter leaves out are a fault`() {
    #expect(passes(.compare(3, .greater, .integer(5)), .integer(6)) == true)
    #expect(passes(.compare(3, .greater, .integer(5)), .integer(5)) == false)
    #expect(passes(.compare(3, .notEqual, .integer(5)), .null) == false)
    #expect(passes(.not(.compare(3, .equal, .integer(5))), .null) == true)
    #expect(passes(.range(3, from: .integer(1), through: .integer(3)), .integer(3)) == true)
    #expect(passes(.range(3, from: .integer(1), through: .integer(3)), .integer(4)) == false)
    #expect(passes(.oneOf(3, [.integer(1), .integer(2)]), .integer(2)) == true)
    #expect(passes(.oneOf(3, [.integer(1), .integer(2)]), .integer(3)) == false)
    #expect(passes(.isEmpty(3), .null) == true)
    #expect(passes(.isEmpty(3), .integer(0)) == false)
    #expect(passes(.any([]), .integer(0)) == false)
    #expect(passes(.any([.isEmpty(3), .compare(3, .less, .integer(1))]), .integer(0)) == true)
    #expect(passes(.all([.compare(3, .less, .integer(1)), .isEmpty(3)]), .integer(0)) == false)
    #expect(
      Self.fault(Query(filter: .compare(3, .greater, .integer(1))), 3, [.integer(2), .integer(1)])
        == .filter(.integer(1)))
  }

  @Test func `ASCII texts match without case, other texts are not judged`() {
    #expect(passes(.contains(0, "BC"), .text("abcd")) == true)
    #expect(passes(.contains(0, "bd"), .text("abcd")) == false)
    #expect(passes(.startsWith(0, "AB"), .text("abcd")) == true)
    #expect(passes(.startsWith(0, "bc"), .text("abcd")) == false)
    #expect(passes(.matches(0, "^a.c"), .text("abcd")) == true)
    #expect(passes(.matches(0, "^A.c"), .text("abcd")) == false)
    #expect(passes(.contains(0, "STRASSE"), .text("Straße")) == nil)
    #expect(passes(.contains(0, "x"), .null) == false)
    #expect(Self.fault(Query(search: "zz"), 0, [.text("zZ"), .text("y")]) == .filter(.integer(1)))
    #expect(Self.fault(Query(search: "ß"), 0, [.text("ss")]) == nil)
  }

  @Test func `a filter on nearly equal numbers is not judged`() {
    #expect(passes(.compare(4, .greater, .number(0.1)), .number(0.1)) == nil)
    #expect(passes(.compare(4, .equal, .number(0.1)), .number(0.1)) == true)
    #expect(passes(.compare(4, .equal, .number(0.1)), .number(0.100_000_000_1)) == nil)
    #expect(passes(.compare(4, .greater, .number(0.1)), .number(0.2)) == true)
    #expect(passes(.compare(4, .greater, .number(0.2)), .number(0.1)) == false)
  }

  @Test func `rows of another section are a fault`() {
    let query = Query(group: [3])
    #expect(Self.fault(query, 3, [.integer(1), .integer(1)], section: [.integer(1)]) == nil)
    #expect(Self.fault(query, 3, [.integer(1), .integer(2)], section: [.integer(1)]) == .section(.integer(1)))
    #expect(Self.fault(query, 3, [.null], section: [.null]) == nil)
    #expect(Self.fault(query, 3, [.null], section: [.integer(1)]) == .section(.integer(0)))
  }

  @Test func `a row that does not fit the schema is skipped`() {
    let check = BlockCheck(Self.schema, Query(sort: [SortTerm(3)], filter: .isEmpty(3)))
    #expect(check.fault(in: [(.integer(1), []), (.integer(2), [.null])]) == nil)
    #expect(check.passes([]) == nil)
  }
}

extension Filter<Int> {
  /// The column of the filter, or of its first part.
  fileprivate var testColumn: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.first?.testColumn ?? 3
    case .not(let part): part.testColumn
    case .compare(let column, _, _), .range(let column, _, _), .contains(let column, _), .startsWith(let column, _),
      .matches(let column, _, _), .oneOf(let column, _), .age(let column, _, _), .isEmpty(let column):
      column
    }
  }
}
