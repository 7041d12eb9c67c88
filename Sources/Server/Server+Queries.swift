import CWebSockets
import ListEngine

/// What clients ask with queries, which costs more than all else that they say: of those of one turn only the last is answered, and each
/// counts as several messages.
extension Server {
  /// So many rows of a table cost as much as a message.
  static let rowsPerMessage = 65_536
  /// No query counts for more messages than this.
  static let greatestQueryCost = 20

  /// How many messages a query on a table of so many rows counts for.
  static func queryCost(rows: Int) -> Int { 1 + min(greatestQueryCost - 1, rows / rowsPerMessage) }

  /// How many messages a query on a client's table counts for.
  func queryCost(of session: Session) -> Int {
    Self.queryCost(rows: engine.openTable(of: session.id).map { engine.rows(of: $0) } ?? 0)
  }

  /// Keeps a query until the turn, or until its client says something else; another one takes its place.
  func keep(_ query: Input, of session: Session) {
    if session.lastQuery == nil { queriesToHandle.append(session.id) } else { metrics.queriesOvertaken += 1 }
    session.lastQuery = query
  }

  /// Hands the engine what was kept of a client.
  func handleLastQuery(of session: Session, at now: Instant) {
    guard let query = session.lastQuery else { return }
    session.lastQuery = nil
    engine.handle(query, at: now)
  }

  /// Hands the engine all that was kept.
  func handleLastQueries(at now: Instant) {
    let ids = queriesToHandle
    queriesToHandle = []
    for id in ids {
      guard let session = sessionsByID[id], session.phase == .open else { continue }
      handleLastQuery(of: session, at: now)
    }
  }
}
