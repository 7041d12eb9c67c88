import Foundation
import ListEngine
import Logging
import Threads

/// The publishing of a server's tables to NATS.
///
///     let publisher = try Publisher(options, collators: LocaleCollator.find)
///     let source = publisher.add("jobs") { request, schema in ... }
///     publisher.start()
///     source.report(event)      // each event of the source, in order
///     publisher.stop()
package final class Publisher: Sendable {
  private struct State {
    var sources: [PublishedSource] = []
    var isStopped = false
  }

  private static let leaseTurn = Duration.milliseconds(100)

  private let options: ClusterOptions
  private let connection: NatsConnection
  private let leases: NatsBucket
  private let entries: NatsBucket
  private let node = String(UInt64.random(in: .min ... .max), radix: 16)
  private let collators: @Sendable (String, Bool) -> (any Collator)?
  private let monitor = Monitor()
  /// Protected by `monitor`.
  private nonisolated(unsafe) var state = State()
  private let isDone = DispatchSemaphore(value: 0)

  /// Connects, and makes what all tables share.
  package init(
    _ options: ClusterOptions, collators: @escaping @Sendable (String, Bool) -> (any Collator)?
  ) throws(ClusterError) {
    self.options = options
    self.collators = collators
    connection = try NatsConnection(options, name: "rowcast publisher")
    let connection = connection
    (leases, entries) = try connection.patiently { () throws(ClusterError) in
      try connection.makeStream(TableNames.snapshotStream, subjects: TableNames.snapshotSubjects, bytes: -1)
      return (try connection.bucket(TableNames.leaseBucket), try connection.bucket(TableNames.tableBucket))
    }
  }

  /// Adds a source, and starts the thread that publishes its table.
  ///
  /// - Parameter perform: Sends a request of a relay to the source, made for a schema.
  package func add(
    _ name: String, perform: @escaping @Sendable (SourceRequest, Schema) -> Void
  ) -> PublishedSource {
    let source = monitor.withLock {
      let source = PublishedSource(name, position: state.sources.count, connection: connection, perform: perform)
      state.sources.append(source)
      return source
    }
    let thread = Thread { [connection, entries, options, collators] in
      var writer = TableWriter(
        source, connection: connection, entries: entries, options: options, collators: collators)
      writer.run()
    }
    thread.name = "publish \(name)"
    thread.start()
    return source
  }

  /// Starts the thread that takes and renews the leases.
  package func start() {
    let thread = Thread { [self] in
      keepLeases()
      isDone.signal()
    }
    thread.name = "leases"
    thread.start()
  }

  private func keepLeases() {
    while true {
      let sources = monitor.withLock { () -> [PublishedSource]? in
        _ = monitor.wait(nanoseconds: UInt64(Self.leaseTurn.nanoseconds)) { state.isStopped }
        return state.isStopped ? nil : state.sources
      }
      guard let sources else { break }
      // Each call would wait in vain otherwise.
      guard connection.isConnected else { continue }
      for source in sources { source.stepLease(leases, node: node) }
    }
    for source in monitor.withLock({ state.sources }) {
      source.stop()
      source.releaseLease(leases)
    }
  }

  /// Stops publishing, and gives up the leases.
  package func stop() {
    monitor.withLock {
      state.isStopped = true
      monitor.wakeAll()
    }
    _ = isDone.wait(timeout: .now() + .milliseconds(900))
  }

  /// The figures of all tables for the metrics. [any thread]
  package var figures: [ClusterFigures] { monitor.withLock { state.sources }.map(\.figures) }
}
