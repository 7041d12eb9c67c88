import ListEngine
import Wire

/// The sources without a table, which have declared none yet or whose table was refused.
///
/// Their states are reported to clients, because a misspelt command, for example, shows nowhere
/// else.
///
///     sources.add(id, name: "jobs", at: now)
///     sources.note(id, .backingOff, message: "exited with code 1", retry: .seconds(2), at: now)
///     sources.takeChanges(at: now)     // true at most once a second, and after each removal
///     sources.remove(id)               // the source has a table now
struct TablelessSources {
  private struct Entry {
    let name: String
    let since: Instant
    var state = SourceState.starting
    var message = ""
    var retryAt: Instant?
    /// The reason why the source's table was refused.
    var refusal: String?
  }

  /// The minimum interval between two reports of states.
  static let pause: Duration = .seconds(1)

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The sources in the order of their arrival.
  private var order: [ObjectIdentifier] = []
  /// The number of sources ever added.
  ///
  /// The status of a source with a table is reported with its table.
  private(set) var count = 0
  private var hasChanges = false
  private var lastSent: Instant?

  /// The time of the next report; `nil` if there is nothing new.
  var deadline: Instant? {
    hasChanges ? lastSent?.advanced(by: Self.pause) ?? .zero : nil
  }

  /// Adds a source.
  ///
  /// - Precondition: The source was not added before.
  mutating func add(_ source: ObjectIdentifier, name: String, at now: Instant) {
    precondition(entries[source] == nil, "the source \(name) is here already")
    count += 1
    entries[source] = Entry(name: name, since: now)
    order.append(source)
    hasChanges = true
  }

  /// Records the state of a source; does nothing if it has a table.
  mutating func note(
    _ source: ObjectIdentifier, _ state: SourceState, message: String, retry: Duration?, at now: Instant
  ) {
    guard var entry = entries[source] else { return }
    (entry.state, entry.message) = (state, message)
    entry.retryAt = retry.map { now.advanced(by: $0) }
    entries[source] = entry
    hasChanges = true
  }

  /// Records that the source's table was refused for this reason.
  mutating func refuse(_ source: ObjectIdentifier, _ reason: String) {
    guard entries[source] != nil else { return }
    entries[source]?.refusal = reason
    hasChanges = true
  }

  /// Removes a source that has a table now.
  ///
  /// The next report is due at once, because clients show the table already, and until then the
  /// source, too.
  mutating func remove(_ source: ObjectIdentifier) {
    guard entries.removeValue(forKey: source) != nil else { return }
    order.removeAll { $0 == source }
    hasChanges = true
    lastSent = nil
  }

  /// Returns whether a report is due, and schedules the next one.
  mutating func takeChanges(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    hasChanges = false
    lastSent = now
    return true
  }

  /// Returns the descriptions of all sources in the order of their arrival.
  func descriptions(at now: Instant) -> [SourceDescription] {
    order.compactMap { entries[$0] }.map { entry in
      // While the source runs, the refusal matters most; otherwise the reason why it does not run.
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
