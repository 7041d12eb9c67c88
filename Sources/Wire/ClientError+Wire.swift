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
}
