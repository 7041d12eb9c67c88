import Testing

@testable import ListEngine

/// The split of a query between the source and the residual query.
@Suite struct QuerySplitTests {
  private let schema = Schema(
    name: "t", key: .integer, columns: [Column("a", .integer), Column("b", .text), Column("c", .text)])

  private func split(_ query: Query, _ capabilities: WindowedCapabilities) -> QuerySplit {
    QuerySplit(query, schema, capabilities)
  }

  @Test func `an empty query needs no capabilities`() {
    let split = split(Query(), WindowedCapabilities())
    #expect(split.source == Query())
    #expect(split.rest == nil)
    #expect(split.remains.isEmpty)
  }

  @Test func `a source with all capabilities leaves no residual query`() {
    let all = WindowedCapabilities(
      sort: [0, 1], filters: Set(WindowedCapabilities.FilterOperator.allCases), searches: true, group: [2])
    let query = Query(
      sort: [SortTerm(0), SortTerm(1, descending: true)], search: "x",
      filter: .any([.not(.isEmpty(0)), .all([.matches(1, "y"), .range(0, from: .integer(1), through: nil)])]),
      group: [2])
    let split = split(query, all)
    #expect(split.source == query)
    #expect(split.rest == nil)
  }

  @Test func `unsupported sorts, groups, searches and aggregates remain`() {
    let some = WindowedCapabilities(sort: [0], group: [2])
    for (query, remains) in [
      (Query(sort: [SortTerm(0), SortTerm(1)]), "sort by “b”"), (Query(group: [2, 1]), "group by “b”"),
      (Query(search: "x"), "search"),
    ] {
      let split = split(query, some)
      #expect(split.remains == [remains])
      #expect(split.source == Query())
      #expect(split.rest == query)
    }
    var query = Query()
    query.aggregates = [Aggregate(.sum, of: 0)]
    #expect(split(query, some).remains == ["compute the sum of “a”"])
    #expect(split(query, some).source.aggregates.isEmpty)
    var grouped = Query(group: [0])
    grouped.sections = [SectionOrder(by: .count, descending: true)]
    let able = WindowedCapabilities(group: [0])
    #expect(split(grouped, able).remains == ["order the sections of “a”"])
    #expect(split(grouped, able).rest == grouped)
    grouped.sections = []
    #expect(split(grouped, able).rest == nil)
  }

  @Test func `an age filter always remains in the residual query`() {
    let schema = Schema(name: "t", key: .integer, columns: [Column("at", .timestamp), Column("n", .integer)])
    let all = WindowedCapabilities(filters: Set(WindowedCapabilities.FilterOperator.allCases), searches: true)
    let age = Filter.age(0, .less, .timestamp(5))
    let split = QuerySplit(Query(filter: .all([age, .compare(1, .equal, .integer(7))])), schema, all)
    #expect(split.source.filter == .compare(1, .equal, .integer(7)))
    #expect(split.rest?.filter == age)
    #expect(split.remains == ["filter “at” with an age"])
  }

  @Test func `each term of a conjunction is passed on or remains as a whole`() {
    let some = WindowedCapabilities(sort: [0], filters: [.equal, .any], searches: true)
    let (can, cannot): (Filter<Int>, Filter<Int>) = (.compare(0, .equal, .integer(1)), .contains(1, "x"))
    let query = Query(sort: [SortTerm(0)], search: "y", filter: .all([can, .any([can, cannot])]))
    let split = split(query, some)
    #expect(split.remains == ["filter “b” with “contains”"])
    #expect(split.source == Query(search: "y", filter: can))
    #expect(split.rest == Query(sort: [SortTerm(0)], filter: .any([can, cannot])))
  }

  @Test func `nested conjunctions are split`() {
    let some = WindowedCapabilities(filters: [.equal, .isEmpty])
    let query = Query(filter: .all([.isEmpty(0), .all([.compare(0, .equal, .integer(1)), .not(.isEmpty(1))])]))
    let split = split(query, some)
    #expect(split.source.filter == .all([.isEmpty(0), .compare(0, .equal, .integer(1))]))
    #expect(split.rest?.filter == .not(.isEmpty(1)))
    #expect(split.remains == ["filter with “not”"])
  }

  @Test func `every filter operator remains without its capability`() {
    let parts: [(Filter<Int>, WindowedCapabilities.FilterOperator, String)] = [
      (.compare(0, .equal, .integer(1)), .equal, "filter “a” with ="),
      (.compare(0, .notEqual, .integer(1)), .notEqual, "filter “a” with !="),
      (.compare(0, .less, .integer(1)), .order, "filter “a” with <"),
      (.compare(0, .lessOrEqual, .integer(1)), .order, "filter “a” with <="),
      (.compare(0, .greater, .integer(1)), .order, "filter “a” with >"),
      (.compare(0, .greaterOrEqual, .integer(1)), .order, "filter “a” with >="),
      (.range(0, from: nil, through: .integer(1)), .range, "filter “a” with a range"),
      (.contains(1, "x"), .contains, "filter “b” with “contains”"),
      (.startsWith(1, "x"), .startsWith, "filter “b” with “starts with”"),
      (.matches(1, "x"), .matches, "run regular expressions"),
      (.oneOf(0, []), .oneOf, "filter “a” with a list of values"),
      (.isEmpty(0), .isEmpty, "filter “a” with “is empty”"), (.any([]), .any, "filter with “any”"),
      (.not(.all([])), .not, "filter with “not”"),
    ]
    for (filter, power, words) in parts {
      var others = Set(WindowedCapabilities.FilterOperator.allCases)
      #expect(split(Query(filter: filter), WindowedCapabilities(filters: others)).remains.isEmpty)
      others.remove(power)
      let split = split(Query(filter: filter), WindowedCapabilities(filters: others))
      #expect(split.remains == [words])
      #expect(split.source.filter == nil)
    }
  }

  @Test func `a filter on a column that the source does not filter remains`() {
    let some = WindowedCapabilities(filters: [.equal], filterColumns: [0])
    #expect(split(Query(filter: .compare(0, .equal, .integer(1))), some).remains.isEmpty)
    #expect(split(Query(filter: .compare(1, .equal, .text("x"))), some).remains == ["filter “b” with ="])
  }

  @Test func `a refusal lists everything that the source cannot do`() {
    let split = split(
      Query(sort: [SortTerm(0), SortTerm(2)], search: "x", filter: .isEmpty(1), group: [0, 1]), WindowedCapabilities())
    #expect(
      split.refusal(7, isExact: true, limit: 5)
        == "This source cannot sort by “a” and “c”, filter “b” with “is empty”, search or group by “a” and “b”, and 7 rows "
        + "are too many to do it here (limit 5). Narrow it down first.")
  }
}
