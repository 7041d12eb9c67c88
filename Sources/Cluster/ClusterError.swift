/// A failure of the NATS server, or of what it has stored.
package enum ClusterError: Error, Hashable, CustomStringConvertible {
  /// No server was reached at this URL, for this reason.
  case unreachable(String, String)
  /// The server has no JetStream.
  case noJetStream(String)
  /// An option of the connection is not usable.
  case badOption(String)
  /// A call failed, for this reason.
  case failed(String)
  /// The stream has other messages than this publisher knows, so another publisher owns the table.
  case superseded

  package var description: String {
    switch self {
    case .unreachable(let url, let reason):
      "\(url): \(reason): check the address, and that nats-server runs there"
    case .noJetStream(let url): "\(url): JetStream is off: start nats-server with -js"
    case .badOption(let reason): reason
    case .failed(let reason): reason
    case .superseded: "another publisher owns the table"
    }
  }
}
