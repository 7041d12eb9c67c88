import Dispatch
import ListEngine
import Logging
import Threads

/// A publisher's look at the other publishers of its table, whose keys must not be its own.
///
/// A publisher counts as live if its stream has grown between two looks. The looks have a thread of
/// their own, because a server that does not answer must not delay the table's changes.
final class OverlapWatch: Sendable {
  private struct State {
    var next: Instant = .zero
    var isLooking = false
    /// The last message of each other stream at the last look.
    var last: [String: UInt64] = [:]
    /// The other streams with some of the same keys that have grown.
    var live: Set<String> = []
  }

  /// The time between two looks, longer than that between two heartbeats.
  static let turn = Duration.seconds(3)
  /// The number of other parts that are looked at.
  static let greatestParts = 1_024

  private let range: KeyRange
  private let table: String
  private let own: TableNames
  private let connection: NatsConnection
  private let entries: NatsBucket
  private let logger: Logger
  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "overlapping parts")

  init(_ table: String, range: KeyRange?, connection: NatsConnection, entries: NatsBucket, logger: Logger) {
    self.table = table
    self.range = range ?? .everything
    self.connection = connection
    self.entries = entries
    self.logger = logger
    own = TableNames(table, part: range)
  }

  /// The number of overlapping live publishers.
  var count: Int { state.withLock { $0.live.count } }

  /// Begins a look if it is time. Does not wait.
  func step(at now: Instant) {
    let isDue = state.withLock { state in
      guard now >= state.next, !state.isLooking else { return false }
      state.next = now.advanced(by: Self.turn)
      state.isLooking = true
      return true
    }
    guard isDue else { return }
    queue.async { [self] in
      look()
      state.withLock { $0.isLooking = false }
    }
  }

  /// Looks at the other publishers, and reports new overlaps. A look that fails is repeated.
  private func look() {
    guard let tokens = try? entries.keys() else { return }
    let (last, reported) = state.withLock { ($0.last, $0.live) }
    let prefix = TableNames(table).token
    var found: [String: UInt64] = [:]
    var live: Set<String> = []
    for token in tokens where token != own.token && (token == prefix || token.hasPrefix("\(prefix)==")) {
      guard found.count < Self.greatestParts, let value = try? entries.value(of: token),
        let entry = SnapshotEntry(decoding: value.bytes), let other = entry.range,
        let keys = other.intersection(range), let end = try? connection.range(of: TableNames(token: token).stream).last
      else { continue }
      found[token] = end
      guard let before = last[token], end > before else { continue }
      live.insert(token)
      guard !reported.contains(token) else { continue }
      let name = entry.part?.publisher ?? "another publisher"
      logger.error(
        """
        two publishers have the keys \(keys): this one (\(range)) and \(name) (\(other)): \
        change --publish-keys of one of them
        """,
        metadata: ["table": "\(table)"])
    }
    state.withLock { ($0.last, $0.live) = (found, live) }
  }
}
