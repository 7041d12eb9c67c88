import Dispatch
import ListEngine
import Logging
import Threads

/// A published table as a source of this server: the one table of a publisher, or the merged parts
/// of several.
///
/// A table that is not split passes through. With a second part, the rows are read again, and those
/// of all parts are merged by a ``PartMerge``.
final class MergedTable: Sendable {
  private struct State {
    /// The merge of a split table; `nil` while it has one part with all keys.
    var merge: PartMerge?
    var first: TableClaim?
    var hasRows = false
    var overlaps: [TableClaim.Overlap] = []
  }

  /// The part that the server's loop reads. Its lock is never held during a call that waits.
  private struct Facts {
    var followers: [RelayedTable] = []
    var sinks: [Int: Sink] = [:]
    var routes = PartRoutes()
    var isSplit = false
    var isWhole = false
    /// The number of followers that were started.
    var started = 0
  }

  private struct Sink: Sendable { var take: @Sendable (SourceRequest) -> Void }

  /// The greatest number of parts of a table.
  static let greatestParts = 1_024

  let name: String
  private let target: RelayTarget
  private let connection: NatsConnection
  private let entries: NatsBucket
  private let node: String
  private let logger: Logger
  private let state = Guarded(State())
  private let facts = Guarded(Facts())
  /// Reporting to the server blocks, and its loop makes the requests.
  private let queue = DispatchQueue(label: "merged table")

  init(_ name: String, connection: NatsConnection, entries: NatsBucket, target: RelayTarget, node: String) {
    self.name = name
    self.connection = connection
    self.entries = entries
    self.target = target
    self.node = node
    var logger = Logger(label: "cluster")
    logger[metadataKey: "table"] = "\(name)"
    self.logger = logger
  }

  // MARK: Parts

  /// Adds a part, which is followed from ``start()`` on.
  func add(_ token: String, _ entry: SnapshotEntry) {
    guard let range = entry.range else {
      return logger.warning("a part with an invalid range of keys is not read", metadata: ["key": "\(token)"])
    }
    let count = facts.withLock { $0.followers.count }
    guard count < Self.greatestParts else {
      return logger.error("a part is not read: the table has \(count) others", metadata: ["keys": "\(range)"])
    }
    let claim = TableClaim(range: range, publisher: entry.publisher, fence: entry.fence)
    state.withLock { state in
      if state.merge == nil, count == 0, range == .everything {
        state.first = claim
      } else {
        split(&state, claim)
      }
    }
    let part = RelayedPart(number: count, range: range == .everything ? nil : range, table: self)
    let follower = RelayedTable(
      name, TableNames(token: token), connection: connection, entries: entries,
      target: RelayTarget(
        report: { [self] in take($0, of: count) },
        listen: { [self] sink in facts.withLock { $0.sinks[count] = Sink(take: sink) } }),
      node: node, part: part)
    facts.withLock { $0.followers.append(follower) }
  }

  /// Adds a claim to the merge, which begins with the second one.
  private func split(_ state: inout State, _ claim: TableClaim) {
    var merge = state.merge ?? PartMerge()
    if let first = state.first {
      _ = merge.add(first)
      state.first = nil
      if state.hasRows { merge.adopt(0, at: BootTime.now) }
      facts.withLock { $0.isWhole = $0.followers.first?.isWhole ?? false }
    }
    _ = merge.add(claim)
    logger.notice("the table is merged from several publishers", metadata: ["keys": "\(claim.range)"])
    state.merge = merge
    publish(state)
  }

  /// Follows the parts that were added.
  func start() {
    let (isFirst, new) = facts.withLock { facts in
      defer { facts.started = facts.followers.count }
      return (facts.started == 0, facts.followers.dropFirst(facts.started))
    }
    if isFirst { target.listen { [weak self] in self?.route($0) } }
    for follower in new { follower.start() }
  }

  func stop() { for follower in facts.withLock({ $0.followers }) { follower.stop() } }

  /// Whether all rows were read once. [any thread]
  var isWhole: Bool {
    let (first, isWhole) = facts.withLock { ($0.isSplit ? nil : $0.followers.first, $0.isWhole) }
    return first.map(\.isWhole) ?? isWhole
  }

  /// The figures for the metrics. [any thread]
  var figures: [ClusterFigures] { facts.withLock { $0.followers }.map(\.figures) }

  // MARK: Events of parts

  /// Takes an event of a part; blocks while the server is behind. [the thread of the part]
  private func take(_ event: SourceEvent, of number: Int) -> Bool {
    switch event {
    case .image(let request, let outcome): return takeImage(outcome, of: request, from: number)
    // Answers do not depend on the order of changes.
    case .acted, .notLoaded, .upload, .page, .sections, .pageFailed: return target.report(event)
    default:
      return state.withLock { state in
        guard state.merge != nil else {
          state.hasRows = true
          return target.report(event)
        }
        if event.isOfRows {
          return (state.merge?.apply(event, of: number, at: BootTime.now) ?? []).allSatisfy { target.report($0) }
        }
        return change(&state) { $0.apply(event, of: number, at: BootTime.now) }
      }
    }
  }

  /// Notes that the snapshot of a part is read.
  func begin(_ number: Int, _ entry: SnapshotEntry) {
    state.withLock { state in
      state.first?.fence = entry.fence
      _ = change(&state) { $0.begin(number, fence: entry.fence, publisher: entry.publisher, at: BootTime.now) }
    }
  }

  /// Notes that the snapshot of a part was read.
  func end(_ number: Int) { state.withLock { state in _ = change(&state) { $0.end(number) } } }

  /// Notes that reading the snapshot of a part has failed.
  func fail(_ number: Int) { state.withLock { state in _ = change(&state) { $0.fail(number, at: BootTime.now) } } }

  /// Notes that a part has given a heartbeat, or none for too long.
  func note(_ number: Int, isLive: Bool) {
    state.withLock { state in
      state.first?.isLive = isLive
      _ = change(&state) { $0.note(number, isLive: isLive) }
    }
  }

  /// Whether a part must read its snapshot again.
  func takeReading(_ number: Int) -> Bool { state.withLock { $0.merge?.takeReading(number) ?? false } }

  /// Reports what a change of the merge means for the table. Returns `false` when the server stops.
  private func change(_ state: inout State, _ body: (inout PartMerge) -> [SourceEvent]) -> Bool {
    guard state.merge != nil else { return true }
    let events = body(&state.merge!)
    publish(state)
    let overlaps = state.merge?.overlaps ?? []
    if overlaps != state.overlaps {
      for overlap in overlaps where !state.overlaps.contains(overlap) { logger.error("\(overlap)") }
      state.overlaps = overlaps
    }
    return events.allSatisfy { target.report($0) }
  }

  /// Passes on the facts for the server's loop.
  private func publish(_ state: State) {
    guard let merge = state.merge else { return }
    let (owners, order, isWhole) = (merge.owners, merge.order, merge.isWhole)
    facts.withLock { facts in
      facts.isSplit = true
      (facts.routes.owners, facts.routes.order) = (owners, order)
      // Parts that are added later do not end the readiness of a node.
      if isWhole { facts.isWhole = true }
    }
  }

  // MARK: Requests of the server

  /// Passes on a request of the server. [the loop]
  private func route(_ request: SourceRequest) {
    let (sends, answers, sinks) = facts.withLock { facts in
      guard facts.isSplit else {
        return ([PartRoutes.Send(part: 0, request: request)], [SourceEvent](), facts.sinks)
      }
      let (sends, answers) = facts.routes.route(request)
      return (sends, answers, facts.sinks)
    }
    var refused = answers
    for send in sends {
      if let sink = sinks[send.part] { sink.take(send.request) } else { refused += send.request.refusals }
    }
    guard !refused.isEmpty else { return }
    queue.async { [target, refused] in for answer in refused { _ = target.report(answer) } }
  }

  private func takeImage(_ outcome: ImageOutcome, of request: UInt64, from number: Int) -> Bool {
    let (send, answer, sink) = facts.withLock { facts -> (PartRoutes.Send?, SourceEvent?, Sink?) in
      guard facts.isSplit else { return (nil, .image(request, outcome), nil) }
      let (send, answer) = facts.routes.take(outcome, of: request, from: number)
      return (send, answer, send.flatMap { facts.sinks[$0.part] })
    }
    if let send { sink?.take(send.request) }
    return answer.map { target.report($0) } ?? true
  }
}

extension SourceEvent {
  /// Whether the event only concerns rows, and no owner or state.
  fileprivate var isOfRows: Bool {
    switch self {
    case .changes, .loaded, .forget: true
    default: false
    }
  }
}

/// The link of a follower to the merged table.
struct RelayedPart: Sendable {
  let number: Int
  /// The keys of the part; `nil` for a table that is not split.
  let range: KeyRange?
  let table: MergedTable

  func begin(_ entry: SnapshotEntry) { table.begin(number, entry) }
  func end() { table.end(number) }
  func fail() { table.fail(number) }
  func note(isLive: Bool) { table.note(number, isLive: isLive) }
  func takeReading() -> Bool { table.takeReading(number) }
}

extension SnapshotEntry {
  /// The name of the publisher, for messages.
  fileprivate var publisher: String { part?.publisher ?? "the publisher of all keys" }
}
