import Foundation
import ListEngine
import Logging
import Threads

/// One table of a publisher, or one part of a split table, for the source of this server.
///
/// Its thread reads the newest snapshot and then the stream. After a gap, or when another publisher
/// takes over, it reads a snapshot again. Meanwhile the rows stay as they are.
///
/// The thread may wait for NATS for seconds. Another one, which makes no calls to NATS, therefore
/// marks rows that have become old. Each table has its own, because a server that is behind blocks
/// it.
final class RelayedTable: Sendable {
  private struct Shared {
    var isStopped = false
    var isWhole = false
    var figures: ClusterFigures
    var snapshotTime: Int64?
  }

  /// The silence after which the stream is asked for messages that were not delivered.
  private static let doubt = Duration.milliseconds(1_200)
  private static let probePause = Duration.seconds(1)
  private static let look = Duration.milliseconds(100)
  private static let retryPause = Duration.milliseconds(500)
  private static let chunkPatience = Duration.seconds(5)

  let name: String
  private let names: TableNames
  private let connection: NatsConnection
  private let entries: NatsBucket
  private let target: RelayTarget
  private let requests: RelayedRequests
  private let part: RelayedPart
  private let logger: Logger
  private let monitor = Monitor()
  /// Protected by `monitor`.
  private nonisolated(unsafe) var shared: Shared
  /// Its lock is held while a state is reported, so that states of two threads keep their order.
  private let liveness = Guarded(Liveness(at: BootTime.now))

  init(
    _ name: String, _ names: TableNames, connection: NatsConnection, entries: NatsBucket, target: RelayTarget,
    node: String, part: RelayedPart
  ) {
    self.part = part
    self.name = name
    self.names = names
    self.connection = connection
    self.entries = entries
    self.target = target
    var logger = Logger(label: "cluster")
    logger[metadataKey: "table"] = "\(name)"
    if let range = part.range { logger[metadataKey: "keys"] = "\(range)" }
    self.logger = logger
    requests = RelayedRequests(names, connection: connection, target: target, node: node)
    shared = Shared(figures: ClusterFigures(table: name, keys: part.range?.description, isPublished: false))
  }

  func start() {
    let thread = Thread { [self] in run() }
    thread.name = "relay \(name)"
    thread.start()
    let watch = Thread { [self] in
      while !isStopped {
        note { $0.check(at: BootTime.now) }
        requests.queries.check(at: BootTime.now)
        pause(Self.look)
      }
    }
    watch.name = "watch \(name)"
    watch.start()
  }

  func stop() {
    monitor.withLock {
      shared.isStopped = true
      monitor.wakeAll()
    }
  }

  /// Whether a snapshot was read to its end.
  var isWhole: Bool { monitor.withLock { shared.isWhole } }

  /// The figures for the metrics.
  var figures: ClusterFigures {
    monitor.withLock {
      var figures = shared.figures
      figures.snapshotAge = shared.snapshotTime.map { Double(BootTime.wall - $0) / 1e9 }
      return figures
    }
  }

  // MARK: Liveness

  /// Changes the liveness, and reports the state that follows. [both threads]
  private func note(_ body: (inout Liveness) -> Liveness.Report?) {
    liveness.withLock { liveness in
      guard let report = body(&liveness) else { return }
      part.note(isLive: report.isLive)
      // The thread of the table learns from its own reports that the server stops.
      _ = target.report(.state(report.state, message: report.message))
    }
  }

  // MARK: The thread

  /// The state of the thread.
  private struct Following {
    var place = StreamPlace()
    var parts = PayloadParts()
    var age = FeedAge()
    /// The last message of the stream when the first snapshot was read; the table is whole after
    /// it.
    var goal: UInt64?
    /// Whether the snapshot that was read last and the messages up to the goal were read.
    var isWhole = false
    var nextProbe: Instant = .zero
    /// Whether the server takes events.
    var isServed = true
    /// The deferred columns.
    var deferred: [Int] = []
  }

  private func run() {
    requests.start()
    var following = Following()
    var retry = RetryPause(Self.retryPause)
    while following.isServed, !isStopped {
      do throws(ClusterError) {
        guard let entry = try waitForEntry(&following) else { break }
        try load(entry, &following)
        try follow(entry, &following)
      } catch {
        logger.warning("the table is read again", metadata: ["reason": "\(error)"])
        if following.isWhole { retry.reset() }
        pause(retry.next())
      }
    }
    requests.stop()
  }

  private var isStopped: Bool { monitor.withLock { shared.isStopped } }

  private func pause(_ time: Duration) {
    monitor.withLock { _ = monitor.wait(nanoseconds: UInt64(time.nanoseconds)) { shared.isStopped } }
  }

  private func report(_ event: SourceEvent, _ following: inout Following) {
    if !target.report(event) { following.isServed = false }
  }

  /// Waits for a snapshot that is new enough; `nil` when the relay stops.
  private func waitForEntry(_ following: inout Following) throws(ClusterError) -> SnapshotEntry? {
    while !isStopped {
      if connection.isConnected, let value = try entries.value(of: names.token),
        let entry = SnapshotEntry(decoding: value.bytes), following.place.accepts(entry)
      {
        return entry
      }
      pause(Self.look)
    }
    return nil
  }

  /// Notes a message, which may have been delayed.
  private func noteSign(_ message: TableMessage, _ following: inout Following) {
    let now = BootTime.now
    let age = following.age.of(message.number, fence: message.fence, at: now)
    note { $0.noteSign(delayed: age, at: now) }
  }

  private func noteWhole(_ following: inout Following) {
    guard let goal = following.goal, following.place.next > goal, !following.isWhole else { return }
    following.isWhole = true
    part.end()
    monitor.withLock { shared.isWhole = true }
    note { $0.noteWhole(at: BootTime.now) }
  }

  // MARK: The snapshot

  private func load(_ entry: SnapshotEntry, _ following: inout Following) throws(ClusterError) {
    var isReloading = false
    following.isWhole = false
    part.begin(entry)
    do throws(ClusterError) {
      let chunks = try connection.read(
        TableNames.snapshotStream, subject: names.snapshot(entry.id), from: entry.first)
      var assembly = SnapshotAssembly(entry)
      following.parts.reset()
      while !assembly.isWhole, following.isServed, !isStopped {
        guard let message = next(of: chunks), let chunk = TableMessage(decoding: message.bytes) else {
          throw .failed("a chunk of the snapshot is missing or damaged")
        }
        switch assembly.take(chunk) {
        case .ignored: continue
        case .missing: throw .failed("a chunk of the snapshot is missing")
        case .next: break
        }
        for event in try events(of: chunk, &following) {
          if case .changes(let changes) = event { isReloading = !changes.endsReload }
          apply(event, &following)
          if case .changes(let changes) = event, isWhole { forgetCells(without: changes, following) }
        }
      }
    } catch {
      if isReloading {
        var changes = Changeset()
        changes.abandonsReload = true
        report(.changes(changes), &following)
      }
      part.fail()
      throw error
    }
    following.place = StreamPlace(after: entry)
    monitor.withLock {
      shared.snapshotTime = entry.time
      shared.figures.snapshots += 1
      shared.figures.fence = entry.fence
    }
  }

  /// Waits for the next chunk of a snapshot.
  private func next(of chunks: NatsSubscription) -> NatsMessage? {
    let end = BootTime.now.advanced(by: Self.chunkPatience)
    while BootTime.now < end, !isStopped, !chunks.hasEnded {
      if let message = chunks.next(within: Self.look) { return message }
    }
    return nil
  }

  /// Returns the events of a message; none if it is a part of a larger one.
  private func events(of message: TableMessage, _ following: inout Following) throws(ClusterError) -> [SourceEvent] {
    guard let payload = try following.parts.join(message) else { return [] }
    guard let events = EventFrames.events(payload) else { throw .failed("a message has invalid events") }
    return events
  }

  private func apply(_ event: SourceEvent, _ following: inout Following) {
    switch event {
    case .state(let state, let message, _): note { $0.note(state, message) }
    case .schema(let schema), .columnsAdded(let schema):
      requests.note(schema)
      following.deferred = schema.columns.indices.filter { schema.columns[$0].isDeferred }
      report(event, &following)
    case .loaded(let key, let column, _):
      requests.loads.noteLoaded(DeferredCell(key, column: column))
      report(event, &following)
    default: report(event, &following)
    }
  }

  /// Invalidates the deferred cells that these rows of a snapshot do not have.
  ///
  /// Rows without a value keep the one that is loaded, which the relay may have missed to forget.
  private func forgetCells(without changes: Changeset, _ following: Following) {
    guard !following.deferred.isEmpty else { return }
    changes.forEachRow { row in
      let cells = row.cells
      for column in following.deferred where column < cells.count && cells[column] == .null {
        _ = target.report(.forget(row.key, column: column))
      }
    }
  }

  // MARK: The stream

  /// Applies the messages after a snapshot; returns when another snapshot must be read.
  private func follow(_ entry: SnapshotEntry, _ following: inout Following) throws(ClusterError) {
    let range = try connection.range(of: names.stream)
    guard range.first <= following.place.next || range.last == 0 else { return following.place.skip(to: range.first) }
    following.goal = following.goal ?? range.last
    noteWhole(&following)
    var messages = try connection.read(names.stream, subject: names.changes, from: following.place.next)
    while following.isServed, !isStopped {
      if part.takeReading() { return following.place.readAgain() }
      guard let message = messages.next(within: Self.look) else {
        guard messages.hasEnded || isProbeDue(&following), connection.isConnected else { continue }
        // A server that has ended takes its reading with it, without a sign.
        do throws(ClusterError) {
          let range = try connection.range(of: names.stream)
          guard range.last >= following.place.next - 1 else { return following.place.abandon(entry) }
          guard messages.hasEnded || range.last >= following.place.next else { continue }
          messages = try connection.read(names.stream, subject: names.changes, from: following.place.next)
        } catch {
          guard error.isUnanswered else { throw error }
        }
        continue
      }
      let content = TableMessage(decoding: message.bytes)
      switch following.place.take(content, number: message.sequence) {
      case .ignore: continue
      case .restart:
        logger.notice("the rows are read again from a snapshot", metadata: ["message": "\(message.sequence)"])
        // The publisher may be another one now.
        requests.failAll("the publisher has changed")
        return
      case .differs:
        // Another reading may have the messages. The rows are right again after this heartbeat.
        (following.goal, following.isWhole) = (message.sequence, false)
        following.place.readAgain()
        note { $0.noteMissed() }
        throw .failed("the messages before \(message.sequence) differ from those of the publisher")
      case .apply: break
      }
      guard let content else { continue }
      if content.kind == .events {
        for event in try events(of: content, &following) { apply(event, &following) }
      }
      noteWhole(&following)
      // Older messages were there before this relay.
      if message.sequence > following.goal ?? 0 { noteSign(content, &following) }
      monitor.withLock {
        shared.figures.messages += 1
        shared.figures.lagMessages = message.pending
        shared.figures.lagSeconds = max(0, Double(BootTime.wall - content.time) / 1e9)
      }
    }
  }

  /// Whether to ask the stream for messages that were not delivered.
  private func isProbeDue(_ following: inout Following) -> Bool {
    let now = BootTime.now
    guard now >= following.nextProbe, liveness.withLock({ $0.quiet(at: now) }) >= Self.doubt else { return false }
    following.nextProbe = now.advanced(by: Self.probePause)
    return true
  }
}
