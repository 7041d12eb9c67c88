import ListTesting
import Testing

@testable import ListEngine

@Suite struct SessionQueueTests {
  private func session(_ number: UInt64) -> Session {
    Session(
      SessionID(rawValue: number), table: "t", request: 1, query: QueryRequest(), viewport: nil, interval: .zero,
      limits: Limits())
  }

  private func at(_ seconds: Int) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

  /// Takes all sessions that are due and returns their numbers.
  private func takeDue(_ queue: inout SessionQueue, at now: Instant) -> [UInt64] {
    var taken: [UInt64] = []
    while let session = queue.firstDue(at: now) {
      taken.append(session.id.rawValue)
      queue.take(session)
    }
    return taken
  }

  @Test func `takes due sessions by deadline, then by order of update`() {
    var queue = SessionQueue()
    let sessions = (1...5).map { session($0) }
    for session in sessions { queue.insert(session) }
    for (session, second) in zip(sessions, [5, 2, 9, 1, 2]) {
      queue.update(session, deadline: at(second), awaitsChange: false, at: .zero)
    }
    #expect(queue.deadline == at(1))
    #expect(takeDue(&queue, at: at(5)) == [4, 2, 5, 1])
    #expect(takeDue(&queue, at: at(5)).isEmpty)
    #expect(queue.deadline == at(9))
  }

  @Test func `a later deadline or none replaces the previous one`() {
    var queue = SessionQueue()
    let one = session(1)
    queue.insert(one)
    queue.update(one, deadline: at(1), awaitsChange: false, at: .zero)
    queue.update(one, deadline: at(3), awaitsChange: false, at: .zero)
    #expect(takeDue(&queue, at: at(2)).isEmpty)
    queue.update(one, deadline: nil, awaitsChange: false, at: .zero)
    #expect(queue.deadline == nil)
  }

  @Test func `a past deadline does not precede one that is already due`() {
    var queue = SessionQueue()
    let (one, two) = (session(1), session(2))
    queue.insert(one)
    queue.insert(two)
    queue.update(two, deadline: at(3), awaitsChange: false, at: at(1))
    queue.update(one, deadline: .zero, awaitsChange: false, at: at(4))
    #expect(takeDue(&queue, at: at(4)) == [2, 1])
  }

  @Test func `a due session keeps its turn when it is updated`() {
    var queue = SessionQueue()
    let (one, two) = (session(1), session(2))
    queue.insert(one)
    queue.insert(two)
    queue.update(one, deadline: at(1), awaitsChange: false, at: at(1))
    queue.update(two, deadline: at(2), awaitsChange: false, at: at(2))
    queue.update(one, deadline: at(3), awaitsChange: false, at: at(3))
    #expect(takeDue(&queue, at: at(3)) == [1, 2])
  }

  @Test func `a due session is due now after the clock goes back`() {
    var queue = SessionQueue()
    let one = session(1)
    queue.insert(one)
    queue.update(one, deadline: at(5), awaitsChange: false, at: at(5))
    queue.update(one, deadline: .zero, awaitsChange: false, at: at(1))
    #expect(queue.deadline == at(1))
  }

  @Test func `a session that awaits a change is notified once`() {
    var queue = SessionQueue()
    let sessions = (1...3).map { session($0) }
    for session in sessions { queue.insert(session) }
    for session in sessions.prefix(2) {
      queue.update(session, deadline: nil, awaitsChange: true, at: .zero)
      queue.update(session, deadline: nil, awaitsChange: true, at: .zero)
    }
    #expect(queue.takeAwaitingChange(of: nil).map(\.id.rawValue) == [1, 2])
    #expect(queue.takeAwaitingChange(of: nil).isEmpty)
    queue.update(sessions[0], deadline: nil, awaitsChange: true, at: .zero)
    #expect(queue.takeAwaitingChange(of: nil).count == 1)
  }

  @Test func `a change of a table concerns only sessions that display its rows`() {
    var queue = SessionQueue()
    let tables = (1...2).map { Table(Harness.schema, limits: Limits(), seed: $0) }
    let sessions = (1...3).map { session($0) }
    for (session, table) in zip(sessions, [tables[0], tables[1], tables[0]]) {
      queue.insert(session)
      session.show(ListView(Query(), table: table))
      queue.update(session, deadline: nil, awaitsChange: true, at: .zero)
    }
    #expect(queue.takeAwaitingChange(of: tables[0]).map(\.id.rawValue) == [1, 3])
    queue.remove(sessions[1])
    #expect(queue.takeAwaitingChange(of: tables[1]).isEmpty)
  }

  @Test func `lists sessions in order of arrival and finds them by id`() {
    var queue = SessionQueue()
    let sessions = (1...4).map { session($0) }
    for session in sessions.prefix(3) { queue.insert(session) }
    queue.remove(sessions[0])
    queue.insert(sessions[3])
    queue.insert(sessions[0])
    #expect(queue.all.map(\.id.rawValue) == [2, 3, 4, 1])
    #expect(queue[SessionID(rawValue: 1)] === sessions[0] && queue[SessionID(rawValue: 9)] == nil)
  }

  @Test func `a removed session is neither due nor awaiting a change`() {
    var queue = SessionQueue()
    let (one, two) = (session(1), session(2))
    queue.insert(one)
    queue.update(one, deadline: at(1), awaitsChange: true, at: .zero)
    queue.remove(one)
    queue.remove(one)
    queue.insert(two)
    queue.update(one, deadline: at(1), awaitsChange: true, at: .zero)
    #expect(takeDue(&queue, at: at(9)).isEmpty && queue.takeAwaitingChange(of: nil).isEmpty)
    #expect(queue.all.map(\.id.rawValue) == [2])
  }
}
