/// Views that were dropped, whose memory is freed over many turns.
///
/// To free the order of 1M rows in 10,000 sections at once takes longer than a turn may.
struct DiscardedViews {
  private var views: [ListView] = []
  private var pools: [ChunkPool] = []
  private var sections: [Section] = []

  /// The number of chunks and sections that are freed in a turn.
  static let turnCount = 1_024

  /// Whether all memory is freed.
  var isEmpty: Bool { views.isEmpty && pools.isEmpty && sections.isEmpty }

  /// Adds a view that the engine does not use any more.
  mutating func add(_ view: ListView) { views.append(view) }

  /// Frees up to `count` chunks and sections.
  ///
  /// - Complexity: O(count), and O(sections) for each view.
  mutating func free(atMost count: Int = turnCount) {
    var left = count
    while left > 0, !isEmpty {
      if let section = sections.popLast() {
        section.dismantle()
        left -= 1
      } else if let pool = pools.last {
        left -= pool.dropChunks(atMost: left)
        if pool.isFreed { pools.removeLast() }
      } else {
        // A session that still holds the view frees it.
        let isLast = isKnownUniquelyReferenced(&views[views.count - 1])
        let view = views.removeLast()
        guard isLast else { continue }
        let order = view.takeOrder()
        pools.append(order.chunks)
        sections = order.sections
        left -= 1
      }
    }
  }
}
