import ListEngine

extension ClientError {
  /// The error code sent to clients, one of those listed in docs/protocol.md.
  public var code: String {
    switch self {
    case .unreadableMessage: "unreadableMessage"
    case .unknownType: "unknownType"
    case .wrongVersion: "wrongVersion"
    case .unexpectedMessage: "unexpectedMessage"
    case .unknownTable: "unknownTable"
    case .unknownColumn: "unknownColumn"
    case .outOfRange: "outOfRange"
    case .tooLong: "tooLong"
    case .unknownAction: "unknownAction"
    case .notAllowed: "notAllowed"
    case .remainderTooLarge: "remainderTooLarge"
    case .tooManySessions, .tooManySessionsOfToken: "tooManySessions"
    case .tooManyViews: "tooManyViews"
    }
  }

  /// A description of the error for users.
  public var reason: String {
    switch self {
    case .unreadableMessage(let reason), .unexpectedMessage(let reason), .outOfRange(let reason), .tooLong(let reason),
      .notAllowed(let reason), .remainderTooLarge(let reason), .tooManyViews(let reason):
      reason
    case .unknownType(let type): "unknown message type “\(type)”"
    case .wrongVersion(let version):
      "this server speaks version \(ServerMessage.version) of the protocol, not \(version)"
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
