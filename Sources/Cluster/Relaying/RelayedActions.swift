import Dispatch
import ListEngine
import Logging
import Threads

/// The requests of a relay's server to the source at the publisher.
///
/// An action is sent once; without an answer its outcome is unknown. ``RelayedLoads`` sends the
/// requests for deferred cells and images, and ``RelayedQueries`` those for rows.
final class RelayedActions: Sendable {
  private struct State {
    var schema: Schema?
    var receiving: NatsConnection.Receiving?
  }

  private let names: TableNames
  private let connection: NatsConnection
  private let target: RelayTarget
  private let node: String
  /// The subject of answers, without the number of the request.
  private let inbox: String
  private let state = Guarded(State())
  /// The requests for deferred cells and images.
  let loads: RelayedLoads
  /// The requests for rows of a windowed table.
  let queries: RelayedQueries
  /// Telling the server blocks, and its loop makes the requests.
  private let queue = DispatchQueue(label: "relayed actions")
  private let logger = Logger(label: "cluster")

  init(_ names: TableNames, connection: NatsConnection, target: RelayTarget, node: String) {
    self.names = names
    self.connection = connection
    self.target = target
    self.node = node
    inbox = "_INBOX.rowcast.\(node).\(names.token)"
    loads = RelayedLoads(names, connection: connection, target: target, node: node)
    queries = RelayedQueries(names, connection: connection, target: target, node: node)
  }

  func start() {
    loads.start()
    do throws(ClusterError) {
      let receiving = try connection.receive("\(inbox).*") { [self] in take($0) }
      state.withLock { $0.receiving = receiving }
    } catch {
      logger.error("actions of the table do not work", metadata: ["reason": "\(error)"])
    }
    target.listen { [weak self] request in
      guard let self else { return }
      self.queue.async { self.send(request) }
    }
  }

  func stop() {
    loads.stop()
    queries.stop()
    if let receiving = state.withLock({ $0.receiving }) { connection.end(receiving) }
  }

  /// Records the schema, which has the actions and their deadlines.
  func note(_ schema: Schema) {
    state.withLock { $0.schema = schema }
    loads.note(schema)
    do throws(ClusterError) {
      try queries.note(schema)
    } catch {
      logger.error("rows of the table cannot be requested", metadata: ["reason": "\(error)"])
    }
  }

  private func send(_ request: SourceRequest) {
    switch request {
    case .act(let action): act(action)
    case .upload(let upload): _ = target.report(.refusing(upload))
    case .load, .cancel, .image, .cancelImages: loads.send(request)
    case .ask(let requests): queries.ask(requests)
    case .cancelBlocks(let ids): queries.cancel(ids)
    }
  }

  private func act(_ request: ActionRequest) {
    let schema = state.withLock { $0.schema }
    let patience = schema?.actions.first { $0.name == request.action }?.patience ?? Action.standardPatience
    let (expires, overflow) = BootTime.wall.addingReportingOverflow(patience.nanoseconds)
    let call = ActionCall(
      node: node, number: request.id, action: request.action, key: request.key,
      arguments: request.arguments.map { .init(name: $0.name, value: $0.value) }, expires: overflow ? .max : expires)
    do throws(ClusterError) {
      guard connection.isConnected else { throw .failed("the connection to NATS is down") }
      try connection.send(call.encoded, to: names.actions, reply: "\(inbox).\(request.id)")
    } catch {
      _ = target.report(.acted(request.id, .failed(.sourceDown, "the publisher is not reachable")))
    }
  }

  /// Takes an answer. [a thread of the library]
  private func take(_ message: NatsMessage) {
    guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    if message.hasNoResponders {
      _ = target.report(.acted(number, .failed(.sourceDown, "no publisher runs for this table")))
    } else if let answer = ActionAnswer(decoding: message.bytes) {
      _ = target.report(.acted(number, answer.outcome))
    }
  }
}
