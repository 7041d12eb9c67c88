import ListEngine

/// A row key that is equal to another one only if the bytes are.
///
/// Texts of Swift are equal if their characters are, but rows are not.
struct ExactKey: Hashable {
  let key: RowKey

  static func == (left: ExactKey, right: ExactKey) -> Bool {
    switch (left.key, right.key) {
    case (.integer(let first), .integer(let second)): first == second
    case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch key {
    case .integer(let value): hasher.combine(value)
    case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }
}

/// The keys of a split table's rows, each with the time when it was last named.
///
/// A reload of one part ends with the deletion of its rows that were not named. The engine's own
/// reloads are of whole tables, so a relay needs to know the keys. A row takes about 64 bytes.
struct PartKeys {
  /// The number of keys below which none is forgotten.
  static let least = 4_096

  private var stamps: [ExactKey: UInt64] = [:]
  /// A clock that counts the namings.
  private(set) var clock: UInt64 = 0
  private var retention = Retention.everything
  /// The number of keys at which those of rows that are gone are forgotten next.
  private var limit = Self.least
  /// Readings of the clock with their times, for rows that are kept for a duration.
  private var times: [(time: Instant, clock: UInt64)] = []

  /// The number of keys.
  var count: Int { stamps.count }

  /// Sets the rule by which the table evicts rows by itself.
  mutating func follow(_ retention: Retention) { self.retention = retention }

  /// Records that a row exists.
  mutating func name(_ key: RowKey, at now: Instant) {
    clock += 1
    stamps[ExactKey(key: key)] = clock
    if stamps.count > limit { forgetEvicted(at: now) }
  }

  /// Records that a row exists still, if it does.
  mutating func touch(_ key: RowKey) {
    guard let place = stamps.index(forKey: ExactKey(key: key)) else { return }
    clock += 1
    stamps.values[place] = clock
  }

  mutating func remove(_ key: RowKey) { stamps[ExactKey(key: key)] = nil }

  mutating func removeAll() { stamps = [:] }

  /// Whether a key was named after a reading of the clock.
  func isNamed(_ key: RowKey, since reading: UInt64) -> Bool {
    stamps[ExactKey(key: key)].map { $0 > reading } ?? false
  }

  /// Removes and returns the keys that were not named after a reading of the clock.
  ///
  /// - Complexity: O(keys).
  mutating func takeUnnamed(since reading: UInt64, where isIncluded: (RowKey) -> Bool) -> [RowKey] {
    let unnamed = stamps.filter { $0.value <= reading && isIncluded($0.key.key) }.sorted { $0.value < $1.value }
    for (key, _) in unnamed { stamps[key] = nil }
    return unnamed.map(\.key.key)
  }

  /// Forgets keys whose rows the table has evicted by itself.
  ///
  /// Rows leave in the order of their insertion. With more than twice as many later keys as rows
  /// are kept, a row is gone: at most half of these were rows before it.
  private mutating func forgetEvicted(at now: Instant) {
    switch retention {
    case .everything: break
    case .last(let rows):
      let kept = stamps.values.sorted(by: >).prefix(2 * max(1, min(rows, .max / 4)))
      if kept.count < stamps.count, let least = kept.last { stamps = stamps.filter { $0.value >= least } }
    case .recent(let age):
      times.append((now, clock))
      let past = times.lastIndex { $0.time.advanced(by: age) < now }
      guard let past else { break }
      let reading = times[past].clock
      times.removeSubrange(..<past)
      stamps = stamps.filter { $0.value > reading }
    }
    limit = max(Self.least, 2 * stamps.count)
  }
}
