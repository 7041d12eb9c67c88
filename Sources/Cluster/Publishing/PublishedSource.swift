import Foundation
import ListEngine
import Logging
import Threads

/// A source whose table is published while this node holds the table's lease.
///
/// Its thread applies the events to a ``ShadowTable`` and writes them to the table's stream.
package final class PublishedSource: Sendable {
  struct Shared {
    var names: TableNames?
    var schema: Schema?
    /// The keys that are published; `nil` for all.
    var range: KeyRange?
    var lease = Lease()
    /// The time of the thread's last turn. A lease is not renewed for a thread that hangs.
    var progress: Instant
    var actions = RelayedActionQueue()
    var loads = RelayedLoadQueue()
    var images = RelayedRequestQueue(after: RelayedActionQueue.firstNumber, most: 64)
    var queries = RelayedRequestQueue(after: PublishedSource.firstQuery, most: 256)
    var isStopped = false
    var figures: ClusterFigures
    /// The time of the last snapshot, in nanoseconds since 1970.
    var snapshotTime: Int64?
  }

  /// The time after which a thread without a turn loses its lease.
  private static let hang = Duration.seconds(10)

  let position: Int
  let inbox = Inbox()
  let shared: Guarded<Shared>
  let logger: Logger
  private let connection: NatsConnection
  /// Sends a request to the source; does not wait.
  let perform: @Sendable (SourceRequest, Schema) -> Void

  init(
    _ name: String, position: Int, connection: NatsConnection,
    perform: @escaping @Sendable (SourceRequest, Schema) -> Void
  ) {
    self.position = position
    self.connection = connection
    self.perform = perform
    var logger = Logger(label: "cluster")
    logger[metadataKey: "source"] = "\(name)"
    self.logger = logger
    shared = Guarded(Shared(progress: BootTime.now, figures: ClusterFigures(table: name, isPublished: true)))
  }

  /// Takes an event of the source; blocks while the publishing thread is behind. [any thread]
  package func report(_ event: SourceEvent) {
    switch event {
    case .schema(let schema):
      noteColumns(schema)
      inbox.put(event, time: BootTime.wall)
    case .columnsAdded, .changes, .state, .forget, .sourceChanged: inbox.put(event, time: BootTime.wall)
    case .loaded(let key, let column, _):
      inbox.put(event, time: BootTime.wall)
      noteLoad(DeferredCell(key, column: column), failure: nil)
    case .notLoaded(let key, let column, let reason):
      noteLoad(DeferredCell(key, column: column), failure: reason)
    case .page(let id, let block): noteAnswer(id, .rows(block))
    case .sections(let id, let sections): noteAnswer(id, .sections(sections))
    case .pageFailed(let id, let reason): noteAnswer(id, .failed(reason))
    case .image(let number, let outcome) where number > RelayedActionQueue.firstNumber:
      if let reply = shared.withLock({ $0.images.finish(number) }) { answer(outcome.encoded, to: reply) }
    case .acted(let number, let outcome) where number > RelayedActionQueue.firstNumber:
      if let reply = shared.withLock({ $0.actions.finish(number) }) {
        answer(ActionAnswer(outcome).encoded, to: reply)
      }
    default: break
    }
  }

  /// The figures for the metrics. [any thread]
  package var figures: ClusterFigures {
    shared.withLock { shared in
      var figures = shared.figures
      figures.fence = shared.lease.fence(at: BootTime.now)
      figures.snapshotAge = shared.snapshotTime.map { Double(BootTime.wall - $0) / 1e9 }
      return figures
    }
  }

  /// The fencing number if this node holds the lease now.
  var fence: UInt64? { shared.withLock { $0.lease.fence(at: BootTime.now) } }

  var isStopped: Bool { shared.withLock { $0.isStopped } }

  func stop() {
    shared.withLock { $0.isStopped = true }
    inbox.close()
  }

  // MARK: The lease

  /// Takes or renews the lease if it is time. [the thread of leases]
  func stepLease(_ bucket: NatsBucket, node: String) {
    let now = BootTime.now
    let due = shared.withLock { shared -> (TableNames, Lease.Step)? in
      guard let names = shared.names, shared.progress.duration(to: now) < Self.hang else { return nil }
      return (names, shared.lease.step(at: now))
    }
    guard let (names, step) = due else { return }
    do throws(ClusterError) {
      try perform(step, bucket, key: names.token, value: Array(node.utf8))
    } catch {
      shared.withLock { $0.lease.miss(at: BootTime.now) }
    }
  }

  private func perform(_ step: Lease.Step, _ bucket: NatsBucket, key: String, value: [UInt8]) throws(ClusterError) {
    let sent = BootTime.now
    let revision: UInt64?
    switch step {
    case .wait: return
    case .look:
      let found = try bucket.value(of: key)
      let entry: Lease.Entry =
        switch found {
        case nil: .none
        case ([], let revision)?: .free(revision)
        case (value, let revision)?: .own(revision)
        case (_, let revision)?: .other(revision)
        }
      let next = shared.withLock { $0.lease.see(entry, asked: sent, at: BootTime.now) }
      return try perform(next, bucket, key: key, value: value)
    case .create: revision = try bucket.create(key, value)
    case .write(let previous): revision = try bucket.update(key, value, at: previous)
    }
    let isNew = shared.withLock { shared in
      let former = shared.lease.fence(at: BootTime.now)
      guard let revision else {
        shared.lease.refuse(at: BootTime.now)
        return false
      }
      shared.lease.take(revision, sent: sent)
      return former == nil && shared.lease.fence(at: BootTime.now) != nil
    }
    if isNew, let revision {
      logger.notice("this node publishes the table", metadata: ["fence": "\(revision)"])
    }
  }

  /// Gives up the lease, so that another publisher need not wait for its end.
  func releaseLease(_ bucket: NatsBucket) {
    let held = shared.withLock { shared -> (key: String, revision: UInt64)? in
      let revision = shared.lease.fence(at: BootTime.now) == nil ? nil : shared.lease.revision
      shared.lease.drop(at: BootTime.now)
      guard let revision, let names = shared.names else { return nil }
      return (names.token, revision)
    }
    // Without an answer the lease ends by itself.
    if let held { _ = try? bucket.update(held.key, [], at: held.revision) }
  }

  // MARK: Actions

  /// Runs an action for a relay. [a thread of the library]
  func take(_ message: NatsMessage) {
    guard let reply = message.reply, let call = ActionCall(decoding: message.bytes) else { return }
    let (verdict, schema) = shared.withLock { shared -> (RelayedActionQueue.Verdict, Schema?) in
      guard let schema = shared.schema else { return (.ignore, nil) }
      if let range = shared.range, let key = call.key, !range.contains(key) {
        return (.refuse(.failed(.failed, "this publisher has the keys \(range), and not \(key)")), schema)
      }
      let owns = shared.lease.fence(at: BootTime.now) != nil
      return (shared.actions.begin(call, reply: reply, schema: schema, owns: owns, at: BootTime.wall), schema)
    }
    switch verdict {
    case .ignore: break
    case .refuse(let outcome): answer(ActionAnswer(outcome).encoded, to: reply)
    case .run(let request):
      logger.notice("an action begins for a relay", metadata: ["action": "\(call.action)", "relay": "\(call.node)"])
      if let schema { perform(.act(request), schema) }
    }
  }

  /// Sends the answer to a request of a relay.
  func answer(_ bytes: [UInt8], to reply: String) {
    do throws(ClusterError) {
      try connection.send(bytes, to: reply)
    } catch {
      logger.warning("an answer did not reach its relay", metadata: ["reason": "\(error)"])
    }
  }
}
