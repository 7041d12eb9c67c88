/// The position of a client's viewport in the rows of one query, and the progress of the query's
/// window.
///
/// A client scrolls while a patch that moves its scroll anchor is in flight. Until it has applied
/// the patch, its positions are corrected by the patch's shift.
struct ViewportPosition {
  /// The progress of the query's window.
  enum Progress {
    /// The first window is due; the client's positions still refer to the previous query.
    case firstDue
    /// The first window is in flight; the client's positions may refer to the previous query.
    case firstSent
    /// The client holds the window.
    case held
    /// A whole window is due; the client's positions refer to this query.
    case due
  }

  var anchor = ScrollAnchor()
  private(set) var progress = Progress.due
  /// The number of items by which the client will follow its anchor when it applies the patch in
  /// flight.
  ///
  /// If the client rejects the patch, the replacement carries the same shift.
  private(set) var shiftOnItsWay = 0
  /// The number of items by which the patch in flight moves the viewport.
  ///
  /// It does not depend on what the user has scrolled since.
  private var sentShift = 0

  /// Creates the position of a client that opens a table.
  init(_ viewport: Viewport?, limits: Limits) {
    guard let viewport else { return }
    anchor.resize(viewport, limits: limits)
    anchor.go(to: viewport, shift: 0)
  }

  /// Whether a whole window must be sent.
  var wantsWindow: Bool { progress == .firstDue || progress == .due }

  /// Whether the client does not hold the window of this query yet.
  var awaitsWindow: Bool { progress == .firstDue || progress == .firstSent }

  /// Begins another query at the viewport's position, or at the top.
  mutating func begin(at viewport: Viewport?, limits: Limits) {
    if let viewport { anchor.resize(viewport, limits: limits) }
    anchor.go(to: viewport ?? Viewport(), shift: 0)
    (shiftOnItsWay, sentShift) = (0, 0)
    progress = .firstDue
  }

  /// Moves the viewport.
  ///
  /// - Parameter isBehind: Whether the client has not applied the patch in flight.
  /// - Returns: Whether the viewport refers to this query rather than the previous one.
  mutating func scroll(to viewport: Viewport, isBehind: Bool, limits: Limits) -> Bool {
    anchor.resize(viewport, limits: limits)
    guard !awaitsWindow || (progress == .firstSent && !isBehind) else { return false }
    if isBehind {
      anchor.go(to: viewport, shift: sentShift)
      // Neither the engine nor the client scrolls above the top. If the client rejects the patch,
      // the shift must lead to exactly this position.
      shiftOnItsWay = anchor.first - viewport.place
    } else {
      anchor.go(to: viewport, shift: 0)
      // A viewport with the current sequence proves that the patch has been applied.
      (shiftOnItsWay, sentShift) = (0, 0)
    }
    return true
  }

  /// Records that a window or patch was sent that moves the viewport by `shift` items.
  mutating func noteSent(shift: Int) {
    (shiftOnItsWay, sentShift) = (shift, shift)
    progress = awaitsWindow ? .firstSent : .held
  }

  /// Records that the client applied the patch in flight.
  mutating func acknowledge() {
    (shiftOnItsWay, sentShift) = (0, 0)
    if progress == .firstSent { progress = .held }
  }

  /// Requires a whole window, because the client could not apply a patch or holds an outdated one.
  mutating func needWindow() { progress = awaitsWindow ? .firstDue : .due }

  /// Requires a whole window for a client that holds rows of another query or table, if any.
  mutating func needFirstWindow(holdsAnother: Bool) { progress = holdsAnother ? .firstDue : .due }

  /// Continues with the window that a resumed client holds.
  mutating func keepWindow() { progress = .held }
}
