import ListEngine
import Testing

@testable import Server

/// The settings `history` and `changed`.
@Suite struct HistoryRequestTests {
  @Test(arguments: [
    ("processes.cpu", "processes", "cpu", 60), ("processes.cpu=2", "processes", "cpu", 2),
    ("t.a.b=240", "t", "a.b", 240),
  ])
  func `reads a table, a column and a number of values`(
    _ argument: String, _ table: String, _ column: String, _ count: Int
  ) throws {
    let request = try #require(HistoryRequest(argument: argument))
    #expect((request.table, request.column, request.count) == (table, column, count))
  }

  @Test(arguments: ["", "cpu", ".cpu", "t.", "t.a=", "t.a=1", "t.a=241", "t.a=x", "=3"])
  func `refuses malformed history settings`(_ argument: String) { #expect(HistoryRequest(argument: argument) == nil) }

  private static let schema = Schema(
    name: "t", key: .integer, columns: [Column("a", .integer), Column("b", .text)],
    presentation: TablePresentation(changed: "touched"))

  private func configuration(_ histories: [String], changed: Set<String> = []) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.histories = histories.compactMap { HistoryRequest(argument: $0) }
    configuration.changeTimes = changed
    return configuration
  }

  @Test func `the operator's derived columns are added to the source's`() {
    let schema = configuration(["t.a=5", "other.a"], changed: ["other"]).derived(Self.schema)
    #expect(schema.columns.map(\.name) == ["a", "b", "a_history", "touched"])
    var plain = Self.schema
    plain.presentation = nil
    #expect(configuration([]).derived(plain) == plain)
    #expect(configuration([], changed: ["t"]).derived(plain).columns.map(\.name) == ["a", "b", "changed"])
  }

  @Test func `the operator's length replaces that of the source`() {
    var schema = Self.schema
    schema.columns[0].presentation = ColumnPresentation(history: 9)
    #expect(configuration([]).derived(schema).columns[2].derivation == .history(of: "a", count: 9))
    #expect(configuration(["t.a=7"]).derived(schema).columns[2].derivation == .history(of: "a", count: 7))
  }

  @Test func `a derived column with a taken name is skipped and reported`() {
    var schema = Self.schema
    schema.presentation = nil
    schema.columns += [Column("a_history", .text), Column("changed", .boolean)]
    let configuration = configuration(["t.a=5"], changed: ["t"])
    #expect(configuration.derived(schema) == schema)
    let problems = configuration.unfulfilled(in: schema)
    #expect(problems.count == 2)
    #expect(problems[0].contains("gets no column a_history") && problems[1].contains("gets no column changed"))
  }

  @Test func `requests that a table cannot fulfil are reported`() {
    let problems = configuration(["t.gone", "t.b", "t.a", "other.b"]).unfulfilled(in: Self.schema)
    #expect(problems.count == 2)
    #expect(problems[0].contains("t.gone: the table has no such column"))
    #expect(problems[1].contains("t.b: it must be a column of numbers"))
    var windowed = Self.schema
    windowed.windowed = WindowedCapabilities()
    #expect(configuration([], changed: ["t"]).unfulfilled(in: windowed).count == 1)
    #expect(configuration([]).unfulfilled(in: windowed).isEmpty)
  }
}
