import ListTesting
import Testing

@testable import ListEngine

/// Unused views are dropped after a while, and equal queries share a view.
@Suite struct TableStateTests {
  private let state: TableState
  private let limits = Limits()

  init() { state = Self.state(rows: 3) }

  private static func state(rows: Int, stepRows: Int = 1 << 16) -> TableState {
    var limits = Limits()
    limits.stepRows = stepRows
    let table = Table(Harness.schema, limits: limits, seed: 1)
    let state = TableState(table, id: TableID(rawValue: 0), at: .zero)
    var changes = Changes()
    for row in 0..<rows { changes.upsert(row, value: row) }
    state.apply(changes.set, at: .zero)
    // The source's state is reported immediately.
    var outputs: [Output] = []
    state.advance(to: .zero, limits: limits, outputs: &outputs)
    return state
  }

  private func session(_ number: UInt64 = 1) -> Session {
    Session(
      SessionID(rawValue: number), table: "numbers", request: 1, query: QueryRequest(), viewport: nil, interval: .zero,
      limits: limits)
  }

  private func at(_ duration: Duration) -> Instant { Instant.zero.advanced(by: duration) }

  private func advance(_ state: TableState, to moment: Instant) {
    var outputs: [Output] = []
    state.advance(to: moment, limits: limits, outputs: &outputs)
  }

  /// Attaches a session to a query for a moment and returns its view.
  @discardableResult
  private func look(_ query: Query, in state: TableState, at moment: Instant) throws -> (any QueryView)? {
    let session = session()
    try state.attach(session, to: query, at: moment)
    defer { state.detach(session, at: moment) }
    return session.view
  }

  private static let queries = (0..<6).map { Query(sort: [SortTerm($0 / 2, descending: $0 % 2 == 0)]) }

  @Test func `keeps an unused view for ten seconds`() throws {
    let view = try look(Query(), in: state, at: .zero)
    #expect(state.deadline == at(.seconds(10)))
    advance(state, to: at(.seconds(10) - .nanoseconds(1)))
    #expect(try look(Query(), in: state, at: at(.seconds(10) - .nanoseconds(1))) === view)
    // The view is unused again from now on.
    advance(state, to: at(.seconds(20) - .nanoseconds(2)))
    #expect(try look(Query(), in: state, at: at(.seconds(20) - .nanoseconds(2))) === view)
    advance(state, to: at(.seconds(30) - .nanoseconds(2)))
    #expect(state.deadline == nil)
    #expect(try look(Query(), in: state, at: at(.seconds(30))) !== view)
  }

  @Test func `keeps four unused views at a time`() throws {
    let views = try Self.queries.prefix(4).map { try look($0, in: state, at: .zero) }
    for (query, view) in zip(Self.queries, views) { #expect(try look(query, in: state, at: .zero) === view) }
  }

  @Test func `a fifth unused view replaces the one unused for longest`() throws {
    let views = try Self.queries.prefix(4).map { try look($0, in: state, at: .zero) }
    // The first view is used again, so the second has been unused for the longest time.
    try look(Self.queries[0], in: state, at: .zero)
    try look(Self.queries[4], in: state, at: .zero)
    #expect(try look(Self.queries[0], in: state, at: .zero) === views[0])
    #expect(try look(Self.queries[2], in: state, at: .zero) === views[2])
    #expect(try look(Self.queries[3], in: state, at: .zero) === views[3])
    #expect(try look(Self.queries[1], in: state, at: .zero) !== views[1])
  }

  @Test func `views in use do not count toward the limit of unused ones`() throws {
    let readers = Self.queries.enumerated().map { (session(UInt64($0 + 10)), $1) }
    for (scrollAnchor, query) in readers { try state.attach(scrollAnchor, to: query, at: .zero) }
    let view = try look(Query(), in: state, at: .zero)
    #expect(try look(Query(), in: state, at: .zero) === view)
    for (scrollAnchor, query) in readers { #expect(try look(query, in: state, at: .zero) === scrollAnchor.view) }
  }

  @Test func `equal queries share a view while one session uses it`() throws {
    let (one, two) = (session(1), session(2))
    try state.attach(one, to: Query(), at: .zero)
    try state.attach(two, to: Query(), at: .zero)
    let view = one.view
    #expect(two.view === view && view?.viewers == 2)
    state.detach(one, at: .zero)
    advance(state, to: at(.seconds(100)))
    #expect(try look(Query(), in: state, at: at(.seconds(100))) === view)
    #expect(view?.viewers == 1)
  }

  @Test func `drops an unfinished view when its last session leaves`() throws {
    let state = Self.state(rows: 3_000, stepRows: 400)
    let view = try look(Query(sort: [SortTerm(0)]), in: state, at: .zero)
    #expect(view?.isInOrder == false)
    // Its memory is freed in the next turn.
    advance(state, to: .zero)
    #expect(state.deadline == nil)
    #expect(try look(Query(sort: [SortTerm(0)]), in: state, at: .zero) !== view)
  }

  @Test func `a clock that goes back does not keep an unused view longer`() throws {
    try look(Query(), in: state, at: at(.seconds(100)))
    advance(state, to: at(.seconds(50)))
    #expect(state.deadline == at(.seconds(110)))
    advance(state, to: at(.seconds(110)))
    #expect(state.deadline == nil)
  }
}
