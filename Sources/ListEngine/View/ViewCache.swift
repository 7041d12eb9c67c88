/// The views of one table by query, which sessions with equal queries share.
///
/// A view without sessions is kept for a while, so that a user who returns to a query finds it in
/// order. The number of such views is limited.
struct ViewCache<View: QueryView> {
  private var views: [Query: View] = [:]
  /// The number of times a view lost its last session; it orders evictions deterministically.
  private var departures = 0

  /// The numbers of views with and without sessions.
  var counts: (watched: Int, resting: Int) {
    let watched = views.values.count { $0.viewers > 0 }
    return (watched, views.count - watched)
  }
  /// Returns the view of a query, if there is one.
  subscript(_ query: Query) -> View? { views[query] }

  /// Records that one more session displays a view, which is added if it is new.
  mutating func enter(_ view: View) {
    views[view.query] = view
    view.use.viewers += 1
    view.use.unwatchedSince = nil
  }

  /// Records that a session left the view of a query, and returns the view to drop, if any.
  mutating func leave(_ query: Query, at now: Instant) -> View? {
    guard let view = views[query] else { return nil }
    view.use.viewers -= 1
    guard view.viewers == 0 else { return nil }
    // A query typed letter by letter would otherwise leave its unfinished predecessors behind.
    guard view.isInOrder else { return drop(view) }
    view.use.unwatchedSince = now
    view.use.leaving = departures
    departures += 1
    let resting = views.values.filter { $0.viewers == 0 }
    guard resting.count > UnusedViewLimits.greatestCount,
      let oldest = resting.min(by: { $0.use.leaving < $1.use.leaving })
    else { return nil }
    return drop(oldest)
  }

  /// Removes a view, and returns it.
  @discardableResult
  mutating func drop(_ view: View) -> View {
    views[view.query] = nil
    return view
  }

  /// Removes and returns the views that had no session for ``UnusedViewLimits/time``.
  mutating func dropExpired(at now: Instant) -> [View] {
    let expired = views.values.filter { view in
      view.use.unwatchedSince.map { since in since.duration(to: now) >= UnusedViewLimits.time } ?? false
    }
    for view in expired { drop(view) }
    return expired
  }

  /// The time of the next call to ``dropExpired(at:)``, or `nil` for none.
  ///
  /// - Complexity: O(views).
  var deadline: Instant? {
    views.values.lazy.compactMap { $0.use.unwatchedSince?.advanced(by: UnusedViewLimits.time) }.min()
  }
}

/// The limits on views without sessions.
enum UnusedViewLimits {
  /// The time for which a view without sessions is kept.
  static let time: Duration = .seconds(10)
  /// The maximum number of views of one table that are kept without sessions.
  static let greatestCount = 4
}
