import Foundation
import ListEngine
import Logging
import Threads

/// The tables of publishers as sources of this server.
///
///     let relay = try Relay(options)
///     relay.start { name in RelayTarget(...) }
///     relay.obstacle       // nil once all tables are whole
///     relay.stop()
package final class Relay: Sendable {
  private struct State {
    /// The tables by name.
    var tables: [String: MergedTable] = [:]
    /// The keys of the entries that are followed.
    var tokens: Set<String> = []
    var isStopped = false
    /// Whether the list of tables was read at least once.
    var hasList = false
  }

  /// The time between two looks at the list of tables.
  private static let turn = Duration.seconds(1)

  private let connection: NatsConnection
  private let entries: NatsBucket
  /// The epoch of all relays of this NATS server, in which they have the same row ids.
  package let epoch: String
  private let node = String(UInt64.random(in: .min ... .max), radix: 16)
  private let logger = Logger(label: "cluster")
  private let monitor = Monitor()
  /// Protected by `monitor`.
  private nonisolated(unsafe) var state = State()

  /// Connects to a server.
  package init(_ options: ClusterOptions) throws(ClusterError) {
    connection = try NatsConnection(options, name: "rowcast relay")
    let connection = connection
    (entries, epoch) = try connection.patiently { () throws(ClusterError) in
      (
        try connection.bucket(TableNames.tableBucket),
        try Self.epoch(in: connection.bucket(TableNames.clusterBucket))
      )
    }
  }

  /// Returns the epoch in a bucket. The first relay makes it.
  private static func epoch(in bucket: NatsBucket) throws(ClusterError) -> String {
    let own = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
      .map { String($0, radix: 16) }.joined()
    if try bucket.create(TableNames.epochKey, Array(own.utf8)) != nil { return own }
    // The server that answers may not have the key yet.
    guard let value = try bucket.value(of: TableNames.epochKey) else {
      throw .unanswered("the epoch of the relays is neither readable nor writable")
    }
    guard let epoch = String(validating: value.bytes, as: UTF8.self), (1...100).contains(epoch.count) else {
      throw .failed("the epoch of the relays in the bucket \(TableNames.clusterBucket) is invalid: delete its key")
    }
    return epoch
  }

  /// Starts to follow all tables that are published, and those that will be.
  ///
  /// - Parameter makeTarget: Adds a source of this name to the server.
  package func start(_ makeTarget: @escaping @Sendable (String) -> RelayTarget) {
    let thread = Thread { [self] in discover(makeTarget) }
    thread.name = "relay"
    thread.start()
  }

  private func discover(_ makeTarget: (String) -> RelayTarget) {
    var fault = ""
    while true {
      do throws(ClusterError) {
        try addTables(makeTarget)
        fault = ""
      } catch {
        if fault.isEmpty {
          logger.warning("the list of published tables is not readable", metadata: ["reason": "\(error)"])
        }
        fault = "\(error)"
      }
      let isStopped = monitor.withLock {
        monitor.wait(nanoseconds: UInt64(Self.turn.nanoseconds)) { state.isStopped }
      }
      if isStopped { return }
    }
  }

  private func addTables(_ makeTarget: (String) -> RelayTarget) throws(ClusterError) {
    guard connection.isConnected else { return }
    let known = monitor.withLock { state.tokens }
    var found: [(token: String, entry: SnapshotEntry)] = []
    for token in try entries.keys() where !known.contains(token) {
      guard let value = try entries.value(of: token), let entry = SnapshotEntry(decoding: value.bytes) else { continue }
      found.append((token, entry))
    }
    // The page shows the first table of a server first.
    found.sort { ($0.entry.position, $0.entry.table) < ($1.entry.position, $1.entry.table) }
    var grown: [MergedTable] = []
    for (token, entry) in found {
      let table =
        monitor.withLock { state.tables[entry.table] }
        ?? MergedTable(
          entry.table, connection: connection, entries: entries, target: makeTarget(entry.table), node: node)
      table.add(token, entry)
      monitor.withLock {
        state.tables[entry.table] = table
        state.tokens.insert(token)
      }
      if !grown.contains(where: { $0 === table }) { grown.append(table) }
    }
    // All parts are known before the first of them is read.
    for table in grown { table.start() }
    monitor.withLock { state.hasList = true }
  }

  /// The reason why this node must not serve clients yet; `nil` once every table is whole. [any
  /// thread]
  package var obstacle: String? {
    let state = monitor.withLock { () -> State in self.state }
    guard state.hasList else { return "the list of published tables is not known yet" }
    guard !state.tables.isEmpty else { return "no table is published" }
    // The names of tables are for clients with a token.
    let missing = state.tables.values.count { !$0.isWhole }
    return missing == 0 ? nil : "the tables are not whole yet: \(missing) of \(state.tables.count)"
  }

  /// The figures of all tables for the metrics. [any thread]
  package var figures: [ClusterFigures] {
    monitor.withLock { state.tables.values.flatMap(\.figures) }
      .sorted { ($0.table, $0.keys ?? "") < ($1.table, $1.keys ?? "") }
  }

  /// Stops to follow the tables.
  package func stop() {
    let tables = monitor.withLock { () -> [MergedTable] in
      state.isStopped = true
      monitor.wakeAll()
      return Array(state.tables.values)
    }
    for table in tables { table.stop() }
  }
}
