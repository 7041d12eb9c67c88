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
  func queryCost(of client: ClientConnection) -> Int {
    Self.queryCost(rows: engine.openTable(of: client.id).map { engine.rows(of: $0) } ?? 0)
  }

  /// Passes the stored query of a client to the engine.
  func handleLastQuery(of client: ClientConnection, at now: Instant) {
    if let query = client.incoming.lastQuery.take() { engine.handle(query, at: now) }
  }

  /// Passes all stored queries to the engine.
  func handleLastQueries(at now: Instant) {
    for client in clients.takeQuerying() { handleLastQuery(of: client, at: now) }
  }
}
