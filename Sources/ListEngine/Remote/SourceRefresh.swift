/// The times at which all contents of a windowed table are loaded again.
struct SourceRefresh {
  /// The interval of polling, or `nil` if the source reports changes or wants no polling.
  private let polling: Duration?
  /// The throttle for reloading all contents after changes at the source.
  private var changes: Throttle
  /// The time at which a source that does not report changes is polled again.
  private var pollAt: Instant?

  init(_ capabilities: WindowedCapabilities, limits: Limits) {
    polling = capabilities.tellsChanges ? nil : capabilities.refresh
    let reported = capabilities.tellsChanges ? capabilities.refresh : nil
    changes = Throttle(interval: reported ?? limits.refreshInterval)
  }

  /// Records a change in the source's data.
  mutating func noteChange(at now: Instant) { changes.noteChange(at: now) }

  /// Returns whether a reload is due; a table without displayed contents is not polled.
  mutating func takeDue(at now: Instant, isDisplayed: Bool) -> Bool {
    if let polling, isDisplayed {
      if pollAt.map({ $0 <= now }) ?? false { changes.noteChange(at: now) }
      if pollAt.map({ $0 <= now }) ?? true { pollAt = now.advanced(by: polling) }
    } else {
      pollAt = nil
    }
    return changes.takeFlush(at: now)
  }

  /// The time of the next call to ``takeDue(at:isDisplayed:)``, or `nil` for none.
  var deadline: Instant? { [pollAt, changes.deadline].compactMap(\.self).min() }
}
