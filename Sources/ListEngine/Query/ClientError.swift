/// A client's mistake.
///
/// A mistake in a query is reported as a ``Refusal``; any other closes the connection.
public enum ClientError: Error, Hashable, Codable, Sendable {
  /// The message is not JSON or does not follow the protocol.
  case unreadableMessage(String)
  /// The protocol has no message of this type.
  case unknownType(String)
  /// The client uses an unsupported version of the protocol.
  case wrongVersion(Int, supported: Int)
  /// The message is not allowed at this point.
  case unexpectedMessage(String)
  /// No table has this name.
  case unknownTable(String)
  /// The table has no column of this name.
  case unknownColumn(table: String, column: String)
  /// A number is out of range.
  case outOfRange(String)
  /// A text or list exceeds its limit.
  case tooLong(String)
  /// The table has no action of this name.
  case unknownAction(String)
  /// The client lacks the permission.
  case notAllowed(String)
  /// The source does not support the query, and too many rows remain for the engine to evaluate it.
  case remainderTooLarge(String)
  /// The table has reached its limit of views, by number or by memory.
  case tooManyViews(String)
  /// The server has reached its limit of sessions.
  case tooManySessions(limit: Int)
  /// The client's token has reached its limit of sessions.
  case tooManySessionsOfToken(limit: Int)
}

extension ClientError {
  /// A description of the error for users.
  public var reason: String {
    switch self {
    case .unreadableMessage(let reason), .unexpectedMessage(let reason), .outOfRange(let reason), .tooLong(let reason),
      .notAllowed(let reason), .remainderTooLarge(let reason), .tooManyViews(let reason):
      reason
    case .unknownType(let type): "unknown message type “\(type)”"
    case .wrongVersion(let version, let supported):
      "this server speaks version \(supported) of the protocol, not \(version)"
    case .unknownTable(let table): "unknown table “\(table)”"
    case .unknownColumn(let table, let column): "the table \(table) has no column “\(column)”"
    case .unknownAction(let name): "unknown action “\(name)”"
    case .tooManySessions(let limit):
      "this server is limited to \(limit) pages at the same time: close another one, or ask the operator"
    case .tooManySessionsOfToken(let limit):
      "pages with one token are limited to \(limit) at the same time: close another one, or ask the operator"
    }
  }
}
