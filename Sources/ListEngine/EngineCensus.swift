/// What an engine holds for its clients at one moment: all of it goes when they go.
public struct EngineCensus: Hashable, Sendable {
  /// Sessions: those that look at a table, and those whose table is not there yet or was replaced.
  public var sessions = 0
  /// Sessions that have ended, and may be resumed.
  public var parkedSessions = 0
  /// Views that a session looks at.
  public var watchedViews = 0
  /// Views that no session looks at, kept for a while.
  public var restingViews = 0

  /// Nothing at all.
  public init() {}
}

extension Engine {
  /// What it holds now.
  ///
  /// - Complexity: O(tables + views).
  public var census: EngineCensus {
    var census = EngineCensus()
    (census.sessions, census.parkedSessions) = sessionCounts
    for table in states { table.count(into: &census) }
    return census
  }
}

extension TableState {
  func count(into census: inout EngineCensus) {
    let watched = watchedViews
    census.watchedViews += watched
    census.restingViews += views.count - watched
    for residualQuery in windowed?.remainders ?? [] { residualQuery.state.count(into: &census) }
  }
}
