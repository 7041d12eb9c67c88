import ListEngine

/// A text key that is equal to another one only if the bytes are.
///
/// Texts of Swift are equal if their characters are, but rows are not.
private struct ExactText: Hashable {
  let text: String

  static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// A number for each of some row keys: a hash table for integers, and one for texts.
private struct Stamps {
  private var integers: [Int64: UInt64] = [:]
  private var texts: [ExactText: UInt64] = [:]

  var count: Int { integers.count + texts.count }

  subscript(key: RowKey) -> UInt64? {
    get {
      switch key {
      case .integer(let value): integers[value]
      case .text(let text): texts[ExactText(text: text)]
      }
    }
    set {
      switch key {
      case .integer(let value): integers[value] = newValue
      case .text(let text): texts[ExactText(text: text)] = newValue
      }
    }
  }

  /// Keeps the keys whose numbers are at least this one.
  mutating func keep(from least: UInt64) {
    integers = integers.filter { $0.value >= least }
    texts = texts.filter { $0.value >= least }
  }

  /// The numbers in descending order.
  var descending: [UInt64] { (Array(integers.values) + Array(texts.values)).sorted(by: >) }

  /// Returns the keys whose numbers are at most this one, in the order of these.
  func keys(upTo greatest: UInt64) -> [RowKey] {
    var found = integers.filter { $0.value <= greatest }.map { (key: RowKey.integer($0.key), stamp: $0.value) }
    found += texts.filter { $0.value <= greatest }.map { (key: .text($0.key.text), stamp: $0.value) }
    return found.sorted { $0.stamp < $1.stamp }.map(\.key)
  }
}

/// The keys of a split table's rows, each with the time when it was last named.
///
/// A reload of one part ends with the deletion of its rows that were not named. The engine's own
/// reloads are of whole tables, so a relay needs to know the keys.
struct PartKeys {
  /// The number of keys below which none is forgotten.
  static let least = 4_096

  private var stamps = Stamps()
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
    stamps[key] = clock
    if stamps.count > limit { forgetEvicted(at: now) }
  }

  /// Records that a row exists still, if it does.
  mutating func touch(_ key: RowKey) {
    guard stamps[key] != nil else { return }
    clock += 1
    stamps[key] = clock
  }

  mutating func remove(_ key: RowKey) { stamps[key] = nil }

  mutating func removeAll() { stamps = Stamps() }

  /// Whether a key was named after a reading of the clock.
  func isNamed(_ key: RowKey, since reading: UInt64) -> Bool { stamps[key].map { $0 > reading } ?? false }

  /// Removes and returns the keys that were not named after a reading of the clock.
  ///
  /// - Complexity: O(keys).
  mutating func takeUnnamed(since reading: UInt64, where isIncluded: (RowKey) -> Bool) -> [RowKey] {
    let unnamed = stamps.keys(upTo: reading).filter(isIncluded)
    for key in unnamed { stamps[key] = nil }
    return unnamed
  }

  /// Forgets keys whose rows the table has evicted by itself.
  ///
  /// Rows leave in the order of their insertion. With more than twice as many later keys as rows
  /// are kept, a row is gone: at most half of these were rows before it.
  private mutating func forgetEvicted(at now: Instant) {
    switch retention {
    case .everything: break
    case .last(let rows):
      let kept = stamps.descending.prefix(2 * max(1, min(rows, .max / 4)))
      if kept.count < stamps.count, let least = kept.last { stamps.keep(from: least) }
    case .recent(let age):
      times.append((now, clock))
      let past = times.lastIndex { $0.time.advanced(by: age) < now }
      guard let past else { break }
      let reading = times[past].clock
      times.removeSubrange(..<past)
      stamps.keep(from: reading + 1)
    }
    limit = max(Self.least, 2 * stamps.count)
  }
}
