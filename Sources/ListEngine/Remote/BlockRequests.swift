/// The requests to a windowed source that it has not answered.
struct BlockRequests {
  /// The id of the next request.
  private(set) var next: UInt64
  /// The unanswered requests, indexed both ways.
  private var pending: [BlockItem: BlockRequestID] = [:]
  private var pendingItems: [BlockRequestID: BlockItem] = [:]
  /// The cancelled requests that may still be answered, oldest first.
  private var cancelled: [(id: BlockRequestID, item: BlockItem)] = []
  private static let rememberedCancels = 256

  /// Creates an empty list; request ids begin at `next`.
  init(from next: UInt64) { self.next = next }

  /// Adds the request that `make` returns for an item, if any.
  mutating func ask(_ item: BlockItem, make: (BlockRequestID) -> BlockRequest?) -> BlockRequest? {
    guard let request = make(BlockRequestID(rawValue: next)) else { return nil }
    next += 1
    pending[item] = request.id
    pendingItems[request.id] = item
    return request
  }

  /// Removes the requests of these items, and returns their ids.
  mutating func cancel(_ items: [BlockItem]) -> [BlockRequestID] {
    let ids = items.compactMap { item -> BlockRequestID? in
      guard let id = pending.removeValue(forKey: item) else { return nil }
      pendingItems[id] = nil
      cancelled.append((id, item))
      return id
    }
    cancelled.removeFirst(max(0, cancelled.count - Self.rememberedCancels))
    return ids
  }

  /// Removes and returns the item of a request, unless it was cancelled.
  mutating func fail(_ id: BlockRequestID) -> BlockItem? {
    guard let item = pendingItems.removeValue(forKey: id) else { return nil }
    pending[item] = nil
    return item
  }

  /// Removes and returns the item of a request, including one that was cancelled.
  ///
  /// A late answer may still be useful.
  mutating func take(_ id: BlockRequestID) -> BlockItem? {
    if let item = fail(id) { return item }
    guard let late = cancelled.firstIndex(where: { $0.id == id }) else { return nil }
    let item = cancelled.remove(at: late).item
    // The item may have been requested again since.
    return pending[item] == nil ? item : nil
  }
}
