import ListEngine
import Logging

/// A publisher's look at the other publishers of its table, whose keys must not be its own.
///
/// A publisher counts as live if its stream has grown between two looks.
struct OverlapWatch {
  /// The time between two looks, longer than that between two signs of life.
  static let turn = Duration.seconds(3)
  /// The number of other parts that are looked at.
  static let greatestParts = 1_024

  private let range: KeyRange
  private let table: String
  private let own: TableNames
  private var next: Instant = .zero
  /// The last message of each other stream at the last look.
  private var last: [String: UInt64] = [:]
  private var reported: Set<String> = []

  init(_ table: String, range: KeyRange?) {
    self.table = table
    self.range = range ?? .everything
    own = TableNames(table, part: range)
  }

  /// The number of overlapping live publishers.
  var count: Int { reported.count }

  /// Looks at the other publishers if it is time, and reports new overlaps.
  ///
  /// A failed look is repeated later: it must not end the publishing.
  mutating func step(_ connection: NatsConnection, _ entries: NatsBucket, _ logger: Logger, at now: Instant) {
    guard now >= next else { return }
    next = now.advanced(by: Self.turn)
    guard let tokens = try? entries.keys() else { return }
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
    last = found
    reported = live
  }
}
