import Wire

extension ClientMessage {
  /// The role required to send the message; only operators may run actions.
  var leastRole: Role {
    switch self {
    case .act: .operator
    case .hello, .open, .query, .collapse, .viewport, .ack, .resync, .pace, .visibility, .pause, .hold, .stats, .name,
      .locate, .parse, .tiles, .facets, .pins, .signOut:
      .viewer
    }
  }
}
