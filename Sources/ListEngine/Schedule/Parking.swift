/// What a page that comes back on another socket says it still holds.
public struct ResumePoint: Hashable, Codable, Sendable {
  /// The session in which it got it.
  public var session: SessionID
  /// The number of the last window or patch that it applied.
  public var sequence: UInt64
  /// How far below the first visible item its anchor is.
  public var anchorOffset: Int?

  /// What a page held after this patch of this session.
  public init(session: SessionID, sequence: UInt64, anchorOffset: Int? = nil) {
    self.session = session
    self.sequence = sequence
    self.anchorOffset = anchorOffset
  }
}

/// Sessions whose pages are gone, with the windows that they held: should one come back soon, it gets a patch.
///
/// Only so many are kept, and only for so long; the oldest goes first. What is kept is a window each, no view: one that nobody looks at
/// any more is dropped as ever.
struct Parking {
  private struct Place {
    let session: Session
    let since: Instant
    let number: Int
    /// The items of the window that it holds.
    let items: Int
  }

  private let limit: Int
  private let time: Duration
  private var places: [SessionID: Place] = [:]
  /// In the order in which they came; one that was taken out meanwhile is passed over.
  private var order: [(id: SessionID, number: Int)] = []
  private var first = 0
  private var arrivals = 0
  /// The items of all windows that are kept.
  private var items = 0

  /// The number of items from which on the oldest windows are dropped before their time: 1,000 pages with twice a usual window.
  static let greatestItemCount = 500_000

  init(limit: Int, time: Duration) {
    self.limit = limit
    self.time = time
  }

  /// How many are kept.
  var count: Int { places.count }

  /// Keeps a session.
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

  /// Takes a session out, if it is still there.
  mutating func take(_ id: SessionID) -> Session? {
    defer { skipTaken() }
    return remove(id)?.session
  }

  @discardableResult private mutating func remove(_ id: SessionID) -> Place? {
    guard let place = places.removeValue(forKey: id) else { return nil }
    items -= place.items
    return place
  }

  /// Lets those go that held rows of this table.
  mutating func forget(table name: String) {
    for (id, place) in places where place.session.tableName == name { remove(id) }
    skipTaken()
  }

  /// Lets those go that have waited for long enough.
  mutating func drop(at now: Instant) {
    while let deadline, deadline <= now { dropOldest() }
  }

  /// When the oldest goes.
  var deadline: Instant? { first < order.count ? places[order[first].id]?.since.advanced(by: time) : nil }

  private mutating func dropOldest() {
    remove(order[first].id)
    skipTaken()
  }

  /// The first in order is there, or there is none.
  private mutating func skipTaken() {
    while first < order.count, places[order[first].id]?.number != order[first].number { first += 1 }
    guard first == order.count || first > 1024 else { return }
    order.removeFirst(first)
    first = 0
  }
}
