import Wire

extension ClientMessage {
  /// What somebody must be to say this: actions are an operator's.
  var leastRole: Role {
    switch self {
    case .act: .operator
    case .hello, .open, .query, .collapse, .viewport, .ack, .resync, .pace, .visibility, .pause, .hold, .stats, .name,
      .locate, .signOut:
      .viewer
    }
  }
}
