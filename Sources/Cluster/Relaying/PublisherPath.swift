import ListEngine
import Threads

/// The way of a table's requests from a relay to the publisher, and of the answers back.
final class PublisherPath: Sendable {
  /// The kinds of requests, which the subjects of their answers name.
  enum Kind: String {
    case action, cells, image, query
    /// A request that ends others; its answers say nothing.
    case cancels
  }

  /// Sends bytes to a subject, with the subject of the answer.
  typealias Publish = @Sendable (_ bytes: [UInt8], _ subject: String, _ reply: String) throws(ClusterError) -> Void

  let names: TableNames
  let node: String
  private let target: RelayTarget
  private let publish: Publish
  private let inbox: String
  private let newest = Guarded<Schema?>(nil)

  /// Creates a path over a connection.
  convenience init(_ names: TableNames, connection: NatsConnection, target: RelayTarget, node: String) {
    self.init(names, target: target, node: node) { bytes, subject, reply throws(ClusterError) in
      guard connection.isConnected else { throw .failed("the connection to NATS is down") }
      try connection.send(bytes, to: subject, reply: reply)
    }
  }

  init(_ names: TableNames, target: RelayTarget, node: String, publish: @escaping Publish) {
    self.names = names
    self.node = node
    self.target = target
    self.publish = publish
    inbox = "_INBOX.rowcast.\(node).\(names.token)"
  }

  /// The newest schema of the table.
  var schema: Schema? { newest.withLock { $0 } }

  /// Records the schema. Returns whether the columns have changed.
  func note(_ schema: Schema) -> Bool {
    newest.withLock { newest in
      defer { newest = schema }
      return newest?.columns != schema.columns
    }
  }

  /// Starts to receive answers, each with the kind and the number of its request. [the body: a
  /// thread of the library]
  func listen(
    on connection: NatsConnection, _ body: @escaping @Sendable (Kind, UInt64, NatsMessage) -> Void
  ) throws(ClusterError) -> NatsConnection.Receiving {
    try connection.receive("\(inbox).*.*") { message in
      let parts = message.subject.split(separator: ".").suffix(2)
      guard let kind = parts.first.flatMap({ Kind(rawValue: String($0)) }),
        let number = parts.last.flatMap({ UInt64($0) })
      else { return }
      body(kind, number, message)
    }
  }

  /// Sends a request.
  func send(_ request: [UInt8], to subject: String, _ kind: Kind, _ number: UInt64) throws(ClusterError) {
    try publish(request, subject, "\(inbox).\(kind.rawValue).\(number)")
  }

  /// Gives an event to the server; blocks while the server is behind.
  func report(_ event: SourceEvent) { _ = target.report(event) }

  /// Sets the closure that receives the server's requests; it must not block.
  func listenToServer(_ body: @escaping @Sendable (SourceRequest) -> Void) { target.listen(body) }
}

extension BootTime {
  /// The end of a time that begins now, in nanoseconds since 1970.
  static func wall(after time: Duration) -> Int64 {
    let (end, overflow) = wall.addingReportingOverflow(time.nanoseconds)
    return overflow ? .max : end
  }
}
