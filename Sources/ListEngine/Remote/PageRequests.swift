/// The requests to a windowed source that it has not answered.
struct PageRequests {
  /// The id of the next request.
  private(set) var next: UInt64
  /// The unanswered requests, indexed both ways.
  private var asked: [PageItem: PageRequestID] = [:]
  private var askedItems: [PageRequestID: PageItem] = [:]
  /// The cancelled requests that may still be answered, oldest first.
  private var cancelled: [(id: PageRequestID, item: PageItem)] = []
  private static let rememberedCancels = 256

  /// Creates an empty list; request ids begin at `next`.
  init(from next: UInt64) { self.next = next }

  /// Adds the request that `make` returns for an item, if any.
  mutating func ask(_ item: PageItem, make: (PageRequestID) -> PageRequest?) -> PageRequest? {
    guard let request = make(PageRequestID(rawValue: next)) else { return nil }
    next += 1
    asked[item] = request.id
    askedItems[request.id] = item
    return request
  }

  /// Removes the requests of these items, and returns their ids.
  mutating func cancel(_ items: [PageItem]) -> [PageRequestID] {
    let ids = items.compactMap { item -> PageRequestID? in
      guard let id = asked.removeValue(forKey: item) else { return nil }
      askedItems[id] = nil
      cancelled.append((id, item))
      return id
    }
    cancelled.removeFirst(max(0, cancelled.count - Self.rememberedCancels))
    return ids
  }

  /// Removes and returns the item of a request, unless it was cancelled.
  mutating func fail(_ id: PageRequestID) -> PageItem? {
    guard let item = askedItems.removeValue(forKey: id) else { return nil }
    asked[item] = nil
    return item
  }

  /// Removes and returns the item of a request, including one that was cancelled.
  ///
  /// A late answer may still be useful.
  mutating func take(_ id: PageRequestID) -> PageItem? {
    if let item = fail(id) { return item }
    guard let late = cancelled.firstIndex(where: { $0.id == id }) else { return nil }
    let item = cancelled.remove(at: late).item
    // The item may have been requested again since.
    return asked[item] == nil ? item : nil
  }
}
