import ListTesting
import Testing

@testable import ListEngine

/// Filters as clients use them, through the engine's public interface.
@Suite struct FilteredSessionTests {
  @Test func `rows enter and leave as changes make them match the filter`() throws {
    let harness = try Harness(rows: 20)
    harness.open(query: QueryRequest(filter: .range("value", from: .integer(50), through: .integer(80))))
    try harness.settle()
    #expect(harness.values() == [50, 60, 70, 80])
    harness.change { changes in
      changes.update(6, value: 500)
      changes.update(19, value: 55)
      changes.update(7, name: "another")
    }
    try harness.settle(by: .seconds(1))
    #expect(harness.values() == [50, 70, 80, 55])
    #expect(harness.replica().total == 4)
  }

  @Test func `a row must match both the filter and the search`() throws {
    let harness = try Harness(rows: 20)
    harness.change { $0.update(3, name: "Special") }
    harness.change { $0.update(15, name: "special too") }
    harness.open(query: QueryRequest(search: "SPECIAL", filter: .compare("value", .less, .integer(100))))
    try harness.settle()
    #expect(harness.values() == [30])
  }

  @Test func `a new filter shows other rows, and none shows all`() throws {
    let harness = try Harness(rows: 8)
    let id = harness.open(query: QueryRequest(filter: .oneOf("value", [.integer(10), .integer(30)])))
    try harness.settle()
    #expect(harness.values() == [10, 30])
    harness.engine.handle(
      .query(id, request: 2, query: QueryRequest(filter: .not(.oneOf("value", [.integer(10)]))), viewport: nil),
      at: harness.clock.now)
    try harness.settle()
    #expect(harness.values() == [0, 20, 30, 40, 50, 60, 70])
    harness.engine.handle(.query(id, request: 3, query: QueryRequest(), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(harness.values() == [0, 10, 20, 30, 40, 50, 60, 70])
  }

  @Test func `refuses a filter with a wrong value type and gives the reason`() throws {
    let harness = try Harness(rows: 3)
    harness.open(query: QueryRequest(filter: .compare("value", .less, .text("x"))))
    try harness.advance()
    guard case .refuse(SessionID(rawValue: 1), let refusal)? = harness.others.last else {
      Issue.record("nothing was refused")
      return
    }
    #expect(
      refusal.fault.error
        == .unreadableMessage("query.filter.value must be a whole number: the column “value” is of type integer"))
  }

  @Test func `sessions with equivalent filters share one window`() throws {
    let harness = try Harness(rows: 30)
    harness.open(1, query: QueryRequest(filter: .oneOf("value", [.integer(20), .integer(10)])))
    harness.open(2, query: QueryRequest(filter: .all([.oneOf("value", [.number(10), .integer(20), .integer(20)])])))
    try harness.settle()
    let windows = harness.deliveries.filter { $0.delivery.patch.base == nil }
    #expect(windows.count == 2)
    #expect(windows[0].delivery.patch.result === windows[1].delivery.patch.result)
    #expect(harness.values(2) == [10, 20])
  }
}
