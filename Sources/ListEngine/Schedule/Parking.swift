/// The state that a reconnecting client still holds.
public struct ResumePoint: Hashable, Codable, Sendable {
  /// The session that sent this state; `nil` if it is not known here.
  public var session: SessionID?
  /// The number of the last window or patch that the client applied.
  public var sequence: UInt64
  /// The number of items from the first visible one down to the scroll anchor.
  public var anchorOffset: Int?
  /// The window that the client holds, if it reports it.
  public var window: ClientWindow?

  /// Creates the resume point of a client that applied this patch of this session.
  public init(session: SessionID?, sequence: UInt64, anchorOffset: Int? = nil, window: ClientWindow? = nil) {
    self.session = session
    self.sequence = sequence
    self.anchorOffset = anchorOffset
    self.window = window
  }
}

/// Disconnected sessions with their windows, so that a client that reconnects soon gets a patch.
///
/// Sessions are kept up to a count, a total window size and an age, and evicted oldest first. Only
/// windows are kept: a view without connected sessions is dropped as usual.
struct Parking {
  private struct Place {
    let session: Session
    let since: Instant
    let number: Int
    /// The number of items in the session's window.
    let items: Int
  }

  private let limit: Int
  private let time: Duration
  private var places: [SessionID: Place] = [:]
  /// The sessions in order of arrival; entries of removed sessions are skipped.
  private var order: [(id: SessionID, number: Int)] = []
  private var first = 0
  private var arrivals = 0
  /// The number of items in all kept windows.
  private var items = 0

  /// The total number of items above which the oldest windows are dropped early.
  ///
  /// Enough for 1,000 clients with twice the usual window.
  static let greatestItemCount = 500_000

  init(limit: Int, time: Duration) {
    self.limit = limit
    self.time = time
  }

  /// The number of kept sessions.
  var count: Int { places.count }

  /// Keeps a disconnected session.
  mutating func park(_ session: Session, at now: Instant) {
    guard limit > 0 else { return }
    arrivals += 1
    remove(session.id)
    let place = Place(session: session, since: now, number: arrivals, items: session.base?.items.count ?? 0)
    places[session.id] = place
    items += place.items
    order.append((session.id, arrivals))
    while places.count > limit || items > Self.greatestItemCount { dropOldest() }
  }

  /// Removes and returns a session, or returns `nil` if it has been dropped.
  mutating func take(_ id: SessionID) -> Session? {
    defer { skipTaken() }
    return remove(id)?.session
  }

  @discardableResult private mutating func remove(_ id: SessionID) -> Place? {
    guard let place = places.removeValue(forKey: id) else { return nil }
    items -= place.items
    return place
  }

  /// Drops the sessions on this table.
  mutating func forget(table name: String) {
    for (id, place) in places where place.session.tableName == name { remove(id) }
    skipTaken()
  }

  /// Drops the expired sessions.
  mutating func drop(at now: Instant) {
    while let deadline, deadline <= now { dropOldest() }
  }

  /// The time at which the oldest session expires.
  var deadline: Instant? { first < order.count ? places[order[first].id]?.since.advanced(by: time) : nil }

  private mutating func dropOldest() {
    remove(order[first].id)
    skipTaken()
  }

  /// Advances `first` past removed sessions.
  private mutating func skipTaken() {
    while first < order.count, places[order[first].id]?.number != order[first].number { first += 1 }
    guard first == order.count || first > 1024 else { return }
    order.removeFirst(first)
    first = 0
  }
}
