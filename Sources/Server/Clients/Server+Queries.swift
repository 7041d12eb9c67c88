import CWebSockets
import ListEngine

/// Coalescing and rate limits of queries, the most expensive messages.
///
/// Only the last query of a turn is answered, and a query counts as several messages.
extension Server {
  /// The number of rows per additional message that a query counts for.
  static let rowsPerMessage = 65_536
  /// The maximum number of messages that a query counts for.
  static let greatestQueryCost = 20

  /// Returns the number of messages that a query on a table with `rows` rows counts for.
  static func queryCost(rows: Int) -> Int { 1 + min(greatestQueryCost - 1, rows / rowsPerMessage) }

  /// Returns the number of messages that a query on the client's table counts for.
  func queryCost(of session: Session) -> Int {
    Self.queryCost(rows: engine.openTable(of: session.id).map { engine.rows(of: $0) } ?? 0)
  }

  /// Stores a query until the turn or the client's next message of another type, replacing an
  /// earlier one.
  func keep(_ query: Input, of session: Session) {
    if session.lastQuery == nil { queriesToHandle.append(session.id) } else { metrics.queriesOvertaken += 1 }
    session.lastQuery = query
  }

  /// Passes the stored query of a client to the engine.
  func handleLastQuery(of session: Session, at now: Instant) {
    guard let query = session.lastQuery else { return }
    session.lastQuery = nil
    engine.handle(query, at: now)
  }

  /// Passes all stored queries to the engine.
  func handleLastQueries(at now: Instant) {
    let ids = queriesToHandle
    queriesToHandle = []
    for id in ids {
      guard let session = sessionsByID[id], session.phase == .open else { continue }
      handleLastQuery(of: session, at: now)
    }
  }
}
