import ListEngine
import Wire

/// The sources that have no table, because they have told none yet or theirs was refused. Pages are told how they are all the same: who has
/// misspelt a command sees nothing else of it.
///
///     sources.add(id, name: "jobs", at: now)
///     sources.note(id, .backingOff, message: "exited with code 1", retry: .seconds(2), at: now)
///     sources.takeNews(at: now)        // true at most once a second
///     sources.remove(id)               // it has a table now
struct TablelessSources {
  private struct Entry {
    let name: String
    let since: Instant
    var state = SourceState.starting
    var message = ""
    var retryAt: Instant?
    /// Why its table is none of ours.
    var refusal: String?
  }

  /// How often pages are told.
  static let pause: Duration = .seconds(1)

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// In which order they came.
  private var order: [ObjectIdentifier] = []
  /// How many have been here. One that has a table is told of with it, whatever becomes of it.
  private(set) var count = 0
  private var hasNews = false
  private var lastTold: Instant?

  /// When ``takeNews(at:)`` has something to say; `nil` when there is nothing.
  var deadline: Instant? {
    hasNews ? lastTold?.advanced(by: Self.pause) ?? .zero : nil
  }

  /// Takes in a source.
  ///
  /// - Precondition: It was not here before.
  mutating func add(_ source: ObjectIdentifier, name: String, at now: Instant) {
    precondition(entries[source] == nil, "the source \(name) is here already")
    count += 1
    entries[source] = Entry(name: name, since: now)
    order.append(source)
    hasNews = true
  }

  /// How one of them is; of one that has a table nothing is kept.
  mutating func note(
    _ source: ObjectIdentifier, _ state: SourceState, message: String, retry: Duration?, at now: Instant
  ) {
    guard var entry = entries[source] else { return }
    (entry.state, entry.message) = (state, message)
    entry.retryAt = retry.map { now.advanced(by: $0) }
    entries[source] = entry
    hasNews = true
  }

  /// The table that it has told is not taken, for this reason.
  mutating func refuse(_ source: ObjectIdentifier, _ reason: String) {
    guard entries[source] != nil else { return }
    entries[source]?.refusal = reason
    hasNews = true
  }

  /// It has a table.
  mutating func remove(_ source: ObjectIdentifier) {
    guard entries.removeValue(forKey: source) != nil else { return }
    order.removeAll { $0 == source }
    hasNews = true
  }

  /// Whether pages are to be told now.
  mutating func takeNews(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    hasNews = false
    lastTold = now
    return true
  }

  /// How they are, in the order in which they came.
  func descriptions(at now: Instant) -> [SourceDescription] {
    order.compactMap { entries[$0] }.map { entry in
      // While it runs the refusal is what matters; when it does not, why not is.
      let isRefused = entry.refusal != nil && (entry.state == .live || entry.state == .starting)
      return SourceDescription(
        name: entry.name,
        source: SourceStatus(
          state: isRefused ? .failed : entry.state, message: isRefused ? entry.refusal! : entry.message, rejected: 0,
          lastRejection: "", age: max(.zero, entry.since.duration(to: now)),
          retry: entry.retryAt.map { max(.zero, now.duration(to: $0)) }))
    }
  }
}
