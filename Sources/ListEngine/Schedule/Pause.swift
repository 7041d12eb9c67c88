/// A page that pauses: it gets nothing but the count of what waits, at most once a second and only when it is another one; and
/// rows that it lacks because its user has scrolled, with word of which are newer than the pause.
///
/// Whatever happens meanwhile costs it nothing: it keeps the window that it was last sent, and the view counts (``Touches``).
struct Pause {
  /// How often a page is told at most.
  static let interval: Duration = .seconds(1)

  /// Since when the view counts; `nil` as long as there is none.
  private var moment: Touches.Moment?
  private var told: Waiting?
  var throttle = Throttle(interval: Pause.interval)

  /// Begins to count. What changed before is not counted, though the page may not have got it.
  mutating func begin(on view: any QueryView) {
    // A message must not cost more than a turn: what an expensive filter has no time for counts as changed.
    if let view = view as? ListView {
      _ = view.catchUp(atMost: .max, filterRows: view.table.limits.turnRows)
    } else {
      view.catchUp()
    }
    moment = view.openTouches()
    told = Waiting(changed: 0, rows: view.rowCount)
  }

  /// Whether a row has changed or come since.
  func isNewer(_ slot: UInt32, in view: any QueryView) -> Bool {
    moment.map { view.isTouched(slot, since: $0) } ?? false
  }

  /// Ends counting.
  mutating func end(on view: any QueryView) {
    if let moment { view.closeTouches(moment) }
    moment = nil
  }

  /// What the page is to be told now, if anything.
  mutating func takeDue(of view: any QueryView, at now: Instant) -> Waiting? {
    guard let moment, throttle.takeFlush(at: now) else { return nil }
    view.catchUp()
    guard view.isInOrder else {
      // So much has changed that the view is put together again: then it is asked once more.
      throttle.noteChange(at: now)
      return nil
    }
    let waiting = Waiting(changed: view.touched(since: moment), rows: view.rowCount)
    guard waiting != told else { return nil }
    told = waiting
    return waiting
  }
}
