import Dispatch
import ListEngine
import Logging
import Threads

/// The requests of a relay's server to the source at the publisher.
///
/// An action is sent once; without an answer its outcome is unknown. ``RelayedLoads`` sends the
/// requests for deferred cells and images, and ``RelayedQueries`` those for rows.
final class RelayedRequests: Sendable {
  private let path: PublisherPath
  private let connection: NatsConnection
  private let receiving = Guarded<NatsConnection.Receiving?>(nil)
  /// The requests for deferred cells and images.
  let loads: RelayedLoads
  /// The requests for rows of a windowed table.
  let queries: RelayedQueries
  /// Telling the server blocks, and its loop makes the requests.
  private let queue = DispatchQueue(label: "relayed requests")
  private let logger = Logger(label: "cluster")

  init(_ names: TableNames, connection: NatsConnection, target: RelayTarget, node: String) {
    self.connection = connection
    path = PublisherPath(names, connection: connection, target: target, node: node)
    loads = RelayedLoads(path)
    queries = RelayedQueries(path)
  }

  func start() {
    do throws(ClusterError) {
      let receiving = try path.listen(on: connection) { [self] in take($0, $1, $2) }
      self.receiving.withLock { $0 = receiving }
    } catch {
      logger.error("requests of the table do not work", metadata: ["reason": "\(error)"])
    }
    path.listenToServer { [weak self] request in
      guard let self else { return }
      self.queue.async { self.send(request) }
    }
  }

  func stop() { if let receiving = receiving.withLock({ $0 }) { connection.end(receiving) } }

  /// Records the schema, which has the columns, the actions and their deadlines.
  func note(_ schema: Schema) { if path.note(schema) { loads.forgetAll() } }

  /// Ends the requests for cells and rows, because they are lost. The server makes them again.
  func failAll(_ reason: String) {
    loads.failAll(reason)
    queries.failAll(reason)
  }

  private func send(_ request: SourceRequest) {
    switch request {
    case .act(let action): act(action)
    case .upload(let upload): path.report(.refusing(upload))
    case .load(let cells): loads.load(cells)
    case .cancel(let cells): loads.cancel(cells)
    case .image(let number, let key): loads.loadImage(number, key)
    case .cancelImages(let numbers): loads.cancelImages(numbers)
    case .ask(let requests): queries.ask(requests)
    case .cancelBlocks(let ids): queries.cancel(ids)
    }
  }

  private func act(_ request: ActionRequest) {
    let patience = path.schema?.actions.first { $0.name == request.action }?.patience ?? Action.standardPatience
    let call = ActionCall(
      node: path.node, number: request.id, action: request.action, key: request.key,
      arguments: request.arguments.map { .init(name: $0.name, value: $0.value) },
      expires: BootTime.wall(after: patience))
    do throws(ClusterError) {
      try path.send(call.encoded, to: path.names.actions, .action, request.id)
    } catch {
      path.report(.acted(request.id, .failed(.sourceDown, "the publisher is not reachable")))
    }
  }

  /// Takes an answer. [a thread of the library]
  private func take(_ kind: PublisherPath.Kind, _ number: UInt64, _ message: NatsMessage) {
    switch kind {
    case .cells: loads.takeCells(message)
    case .image: loads.takeImage(number, message)
    case .query: queries.take(number, message)
    case .cancels: break
    case .action:
      if message.hasNoResponders {
        path.report(.acted(number, .failed(.sourceDown, "no publisher runs for this table")))
      } else if let answer = ActionAnswer(decoding: message.bytes) {
        path.report(.acted(number, answer.outcome))
      }
    }
  }
}
