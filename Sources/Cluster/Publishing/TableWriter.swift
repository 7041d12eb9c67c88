import ListEngine
import Logging

/// The writing of one published table, on a thread of its own.
///
/// A write that fails leaves a gap, so the writer begins again: with a message that tells relays to
/// wait for a snapshot, and that snapshot.
struct TableWriter: ~Copyable {
  /// The state of the stream as this publisher left it.
  private struct Position {
    var fence: UInt64
    var last: UInt64
    var digest = StreamDigest()
  }

  /// The time between two heartbeats.
  static let heartbeat = Duration.seconds(1)
  private static let retryPause = Duration.milliseconds(300)
  private static let turn = Duration.milliseconds(100)
  private static let patienceForBegin = 5
  /// The time for chunks of a snapshot between two looks at the source's events, and at least one
  /// chunk.
  private static let slice = Duration.milliseconds(20)

  private let source: PublishedSource
  private let connection: NatsConnection
  private let entries: NatsBucket
  private let options: ClusterOptions
  private var shadow: ShadowTable
  private var names: TableNames?
  /// The selection of rows of a split table.
  private var filter: KeyFilter?
  private var watch: OverlapWatch?
  private var isRefused = false
  private var hasStream = false
  private var position: Position?
  private var receiving: [NatsConnection.Receiving] = []
  private var nextTry: Instant = .zero
  private var lastHeartbeat: Instant = .zero
  private var lastSnapshot: Instant = .zero
  /// The snapshot that is being written.
  private var snapshot: SnapshotWriting?
  /// The bytes written since the last snapshot.
  private var bytesSince: Int64 = 0
  private var lastFault = ""

  init(
    _ source: PublishedSource, connection: NatsConnection, entries: NatsBucket, options: ClusterOptions,
    collators: @escaping CollatorFinder
  ) {
    self.source = source
    self.connection = connection
    self.entries = entries
    self.options = options
    shadow = ShadowTable(collators: collators)
  }

  /// Runs until the source is stopped.
  mutating func run() {
    while !source.isStopped { takeTurn() }
    endReceiving()
  }

  private mutating func takeTurn() {
    let mail = source.inbox.take(within: snapshot == nil ? Self.turn : .zero)
    var frames: [[UInt8]] = []
    for event in mail.lazy.map(\.event) {
      if case .schema(let schema) = event { consider(schema) }
      guard !isRefused, let event = filter == nil ? event : filter?.pass(event) else { continue }
      guard shadow.apply(event, at: BootTime.now), position != nil else { continue }
      if let frame = EventFrames.frame(event) { frames.append(frame) }
    }
    let now = BootTime.now
    let schema = shadow.schema
    let names = names
    noteFiltered()
    let (filter, overlaps) = (filter, watch?.count)
    source.shared.withLock {
      $0.progress = now
      $0.schema = schema
      $0.names = names
      $0.range = filter?.range
      $0.figures.keys = filter.map { "\($0.range)" }
      $0.figures.filtered = filter.map { UInt64($0.dropped) }
      $0.figures.overlaps = overlaps
    }
    guard let names, !isRefused else { return }
    guard let fence = source.fence else { return leave() }
    do throws(ClusterError) {
      guard position?.fence == fence else { return try begin(names, fence, at: now) }
      try write(frames, names, since: mail.first)
      try heartbeat(names, at: now)
      watch?.step(at: now)
      try snapshotIfDue(names, at: now)
      try continueSnapshot(names)
      lastFault = ""
    } catch {
      fail(error, at: now)
    }
  }

  /// Takes the name of the table from its first schema, and refuses what is not carried.
  private mutating func consider(_ schema: Schema) {
    let part = options.keys.part(of: schema.name, schema.key)
    let own = TableNames(schema.name, part: part.range)
    let names = names ?? own
    let fault: String? =
      if schema.windowed != nil, part.range != nil {
        "its rows stay at the source, so its keys are not divided: remove --publish-keys"
      } else if case .refused(let reason) = part {
        reason
      } else if own.token.utf8.count > TableNames.greatestToken {
        "its name and keys are too long for a stream: use shorter ends in --publish-keys"
      } else if names != own {
        "it has changed its name"
      } else {
        nil
      }
    self.names = names
    if filter?.range != part.range { filter = part.range.map { KeyFilter($0) } }
    if watch == nil {
      watch = OverlapWatch(
        schema.name, range: part.range, connection: connection, entries: entries, logger: source.logger)
    }
    isRefused = fault != nil
    source.shared.withLock { $0.figures.table = schema.name }
    guard let fault else { return }
    source.logger.warning("the table is not published: \(fault)", metadata: ["table": "\(schema.name)"])
    self.names = nil
    leave()
  }

  /// Logs once that rows are left out because of their keys.
  private mutating func noteFiltered() {
    guard let text = filter?.takeNote() else { return }
    source.logger.notice("\(text)")
  }

  private mutating func leave() {
    if position != nil { source.logger.warning("this node does not publish the table any more") }
    (position, snapshot) = (nil, nil)
    endReceiving()
  }

  private mutating func fail(_ error: ClusterError, at now: Instant) {
    (position, snapshot) = (nil, nil)
    // The servers may have lost a stream.
    if case .failed = error { hasStream = false }
    nextTry = now.advanced(by: Self.retryPause)
    let text = "\(error)"
    guard text != lastFault else { return }
    lastFault = text
    source.logger.warning("publishing has failed, and begins again with a snapshot", metadata: ["reason": "\(text)"])
  }

  // MARK: Writing

  private mutating func begin(_ names: TableNames, _ fence: UInt64, at now: Instant) throws(ClusterError) {
    guard now >= nextTry, connection.isConnected, !shadow.isReloading, shadow.schema != nil else { return }
    if !hasStream {
      try connection.makeStream(names.stream, subjects: names.changes, bytes: options.retention)
      try connection.makeStream(TableNames.snapshotStream, subjects: TableNames.snapshotSubjects, bytes: -1)
      hasStream = true
    }
    var last: UInt64?
    for _ in 0..<Self.patienceForBegin where last == nil {
      guard source.fence == fence else { throw .superseded }
      let end = try connection.range(of: names.stream).last
      let message = TableMessage(.begin, fence: fence, time: BootTime.wall)
      do throws(ClusterError) {
        last = try connection.store(message.encoded, to: names.changes, of: names.stream, after: end) {
          source.fence == fence
        }
      } catch {
        // Another publisher has written in between; the lease decides which one goes on.
        guard error == .superseded else { throw error }
      }
    }
    guard let last else { throw .superseded }
    position = Position(fence: fence, last: last)
    lastHeartbeat = now
    try beginSnapshot(names)
  }

  /// Begins to receive the requests of relays.
  private mutating func receive(_ names: TableNames) throws(ClusterError) {
    do throws(ClusterError) {
      receiving.append(try connection.receive(names.actions) { [source] in source.take($0) })
      receiving.append(try connection.receive(names.loads) { [source] in source.takeLoads($0) })
      receiving.append(try connection.receive(names.images) { [source] in source.takeImage($0) })
      receiving.append(try connection.receive(names.queries) { [source] in source.takeQuery($0) })
    } catch {
      endReceiving()
      throw error
    }
  }

  private mutating func endReceiving() {
    for one in receiving { connection.end(one) }
    receiving = []
  }

  private mutating func store(_ message: TableMessage, _ names: TableNames) throws(ClusterError) {
    guard let position, source.fence == position.fence else { throw .superseded }
    let bytes = message.encoded
    let number = try connection.store(bytes, to: names.changes, of: names.stream, after: position.last) { [source] in
      source.fence == position.fence
    }
    self.position?.last = number
    self.position?.digest.add(message, number: number)
    bytesSince += Int64(bytes.count)
    source.shared.withLock {
      $0.figures.messages += 1
      $0.figures.lagSeconds = max(0, Double(BootTime.wall - message.time) / 1e9)
    }
  }

  private mutating func write(
    _ frames: [[UInt8]], _ names: TableNames, since oldest: Inbox.Letter?
  ) throws(ClusterError) {
    guard let fence = position?.fence, let oldest else { return }
    let number = UInt64(clamping: oldest.arrived.nanoseconds)
    for (payload, goesOn) in PayloadParts.cut(frames) {
      let message = TableMessage(
        .events, fence: fence, number: number, time: oldest.time, goesOn: goesOn, payload: payload)
      try store(message, names)
    }
  }

  private mutating func heartbeat(_ names: TableNames, at now: Instant) throws(ClusterError) {
    // Also between changes, because only heartbeats have a digest.
    guard let position, lastHeartbeat.duration(to: now) >= Self.heartbeat else { return }
    let number = UInt64(clamping: BootTime.now.nanoseconds)
    let message = TableMessage(
      .heartbeat, fence: position.fence, number: number, time: BootTime.wall, payload: position.digest.payload)
    try store(message, names)
    lastHeartbeat = now
  }

  // MARK: Snapshots

  private mutating func snapshotIfDue(_ names: TableNames, at now: Instant) throws(ClusterError) {
    guard snapshot == nil, !shadow.isReloading else { return }
    // Half of the stream leaves relays the time to read the snapshot before the rest is dropped.
    guard lastSnapshot.duration(to: now) >= options.snapshotInterval || bytesSince > options.retention / 2 else {
      return
    }
    try beginSnapshot(names)
  }

  /// Begins a snapshot of the rows as they are now.
  private mutating func beginSnapshot(_ names: TableNames) throws(ClusterError) {
    snapshot = nil
    guard let position, let schema = shadow.schema else { return }
    let previous = try entries.value(of: names.token).map {
      SnapshotWriting.Previous(entry: SnapshotEntry(decoding: $0.bytes), revision: $0.revision)
    }
    if let old = previous?.entry, old.fence > position.fence { throw .superseded }
    let time = BootTime.wall
    let entry = SnapshotEntry(
      table: schema.name, position: source.position, fence: position.fence,
      id: "\(position.fence)-\(position.last)-\(time)", first: 0, chunks: 0, sequence: position.last, time: time,
      digest: position.digest.value,
      part: filter.map { TablePart($0.range, schema.key, publisher: TablePart.ownPublisher) })
    snapshot = SnapshotWriting(entry, events: shadow.events(at: BootTime.now), replacing: previous)
    bytesSince = 0
  }

  /// Writes the next chunks of the snapshot, and its entry after the last one.
  private mutating func continueSnapshot(_ names: TableNames) throws(ClusterError) {
    guard var writing = snapshot.take() else { return }
    let fence = writing.entry.fence
    let end = BootTime.now.advanced(by: Self.slice)
    while let chunk = writing.next() {
      guard source.fence == fence else { throw .superseded }
      let place = try connection.store(
        chunk.encoded, to: names.snapshot(writing.entry.id), of: TableNames.snapshotStream
      ) { [source] in source.fence == fence }
      writing.noteStored(at: place)
      guard BootTime.now < end else {
        snapshot = writing
        return
      }
    }
    try finish(writing, names)
  }

  private mutating func finish(_ writing: SnapshotWriting, _ names: TableNames) throws(ClusterError) {
    let entry = writing.entry
    guard try entries.put(names.token, entry.encoded, at: writing.previous?.revision) else { throw .superseded }
    // A relay may still read the snapshot before this one. The next snapshot deletes what is left.
    if let old = writing.previous?.entry {
      try? connection.purge(TableNames.snapshotStream, subject: names.snapshots, before: old.first)
    }
    lastSnapshot = BootTime.now
    source.shared.withLock {
      $0.figures.snapshots += 1
      $0.snapshotTime = entry.time
    }
    if receiving.isEmpty { try receive(names) }
  }
}
