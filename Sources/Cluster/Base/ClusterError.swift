/// A failure of the NATS server, or of what it has stored.
package enum ClusterError: Error, Hashable, CustomStringConvertible {
  /// No server was reached at this URL, for this reason, which may pass by itself.
  case unreachable(String, String, mayPass: Bool)
  /// The server has no JetStream.
  case noJetStream(String)
  /// An option of the connection is not usable.
  case badOption(String)
  /// A stream cannot have this number of replicas, for this reason, which may pass by itself.
  case noReplicas(String, Int, String, mayPass: Bool)
  /// A call was not answered in time, so it may have been done or not.
  case unanswered(String)
  /// A call failed, for this reason.
  case failed(String)
  /// The stream has other messages than this publisher knows, so another publisher owns the table.
  case superseded

  package var description: String {
    switch self {
    case .unreachable(let url, let reason, _):
      "\(url): \(reason): check the address, and that nats-server runs there"
    case .noJetStream(let url): "\(url): JetStream is off: start nats-server with -js"
    case .badOption(let reason): reason
    case .noReplicas(let what, let count, let reason, _):
      "\(what) has fewer than \(count) replicas: \(reason): start \(count) servers with the same cluster name, "
        + "or set nats-replicas to 1"
    case .unanswered(let reason): reason
    case .failed(let reason): reason
    case .superseded: "another publisher owns the table"
    }
  }

  /// Whether the call may have been done or not, and is answered later or by another server.
  ///
  /// A server turns JetStream off when its disk is full, or when it has lost the others.
  var isUnanswered: Bool {
    switch self {
    case .unanswered, .noJetStream: true
    default: false
    }
  }
}
