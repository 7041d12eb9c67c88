/// The state of a paused session.
///
/// The client gets only the count of waiting changes, at most once per ``interval`` and only if it
/// differs. It also gets rows it scrolls to, marked if they are newer than the pause. Changes cost
/// a paused session nothing: it keeps its last window, and the view counts (``ChangeCounters``).
struct Pause {
  /// The minimum time between two reports to a client.
  static let interval: Duration = .seconds(1)

  /// Whether the client lacks visible rows, which are sent despite the pause.
  var lacksRows = false
  /// The point from which the view counts, or `nil` if there is none.
  private var moment: ChangeCounters.Moment?
  private var sent: Waiting?
  var throttle = Throttle(interval: Pause.interval)

  /// Begins to count; earlier changes are not counted even if they have not been sent.
  mutating func begin(on view: any QueryView) {
    // A message must not cost more than a turn: rows that an expensive filter has not evaluated
    // count as changed.
    _ = view.catchUp(atMost: .max, filterRows: view.table.limits.turnRows)
    moment = view.openChangeCount()
    sent = Waiting(changed: 0, rows: view.rowCount)
  }

  /// Returns whether a row was changed or inserted since the pause.
  func isNewer(_ slot: UInt32, in view: any QueryView) -> Bool {
    moment.map { view.hasChanged(slot, since: $0) } ?? false
  }

  /// Stops counting.
  mutating func end(on view: any QueryView) {
    if let moment { view.closeChangeCount(moment) }
    moment = nil
  }

  /// Returns the report that is due, or `nil` if there is none or it is unchanged.
  mutating func takeDue(of view: any QueryView, at now: Instant) -> Waiting? {
    guard let moment, throttle.takeFlush(at: now) else { return nil }
    view.catchUp()
    guard view.isInOrder else {
      // So much changed that the view is being rebuilt: check again later.
      throttle.noteChange(at: now)
      return nil
    }
    let waiting = Waiting(changed: view.changedRows(since: moment), rows: view.rowCount)
    guard waiting != sent else { return nil }
    sent = waiting
    return waiting
  }
}
