/// Counts of objects that an engine holds on behalf of clients; all return to zero after the
/// clients leave.
public struct EngineCensus: Hashable, Sendable {
  /// The number of open sessions, including those without a table.
  public var sessions = 0
  /// The number of closed sessions that can still be resumed.
  public var parkedSessions = 0
  /// The number of views in use by at least one session.
  public var watchedViews = 0
  /// The number of unused views that are kept for a while.
  public var restingViews = 0
  /// The number of tiles that at least one session shows.
  public var watchedTiles = 0
  /// The number of tiles without a session that are kept for a while.
  public var restingTiles = 0
  /// The number of facets that at least one session shows.
  public var watchedFacets = 0
  /// The number of sessions with pinned rows.
  public var pinningSessions = 0
  /// The number of facets without a session that are kept for a while.
  public var restingFacets = 0

  /// Creates a census with all counts zero.
  public init() {}
}

extension Engine {
  /// The objects that the engine holds now.
  ///
  /// - Complexity: O(tables + views + tiles + facets).
  public var census: EngineCensus {
    var census = EngineCensus()
    (census.sessions, census.parkedSessions) = sessionCounts
    for table in states {
      let counts = table.backend.viewCounts
      census.watchedViews += counts.watched
      census.restingViews += counts.resting
      census.watchedTiles += table.tiles.counts.watched
      census.restingTiles += table.tiles.counts.resting
      census.watchedFacets += table.facets.counts.watched
      census.pinningSessions += table.pins.count
      census.restingFacets += table.facets.counts.resting
    }
    return census
  }
}
