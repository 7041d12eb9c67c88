/// Memory of a view that is freed step by step.
protocol Discardable: AnyObject {
  /// Frees up to `most` pieces of memory of about a page, and returns how many; fewer than `most`
  /// if only a little is left.
  func free(atMost most: Int) -> Int
}

/// Views that were dropped, and parts of views that are not needed any more, whose memory is freed
/// over many turns.
///
/// To free the order of 1M rows in 10,000 sections at once takes longer than a turn may.
struct DiscardedViews {
  private var views: [ListView] = []
  private var parts: [any Discardable] = []
  private var sections: [Section] = []

  /// The number of chunks and sections that are freed in a turn.
  static let turnCount = 1_024
  /// Returns whether freeing memory for all rows of a table at once could exceed a turn.
  static func matter(in table: Table) -> Bool { Int(table.slots) > 2 * table.limits.stepRows }

  /// Whether all memory is freed.
  var isEmpty: Bool { views.isEmpty && parts.isEmpty && sections.isEmpty }

  /// Adds a view that the engine does not use any more.
  mutating func add(_ view: ListView) { views.append(view) }

  /// Adds parts that no view uses any more.
  mutating func add(_ parts: [any Discardable]) { self.parts += parts }

  /// Frees up to `count` chunks and sections.
  ///
  /// - Complexity: O(count), and O(sections) for each view.
  mutating func free(atMost count: Int = turnCount) {
    var left = count
    while left > 0, !isEmpty {
      if let section = sections.popLast() {
        section.dismantle()
        left -= 1
      } else if let part = parts.last {
        let freed = part.free(atMost: left)
        if freed < left { parts.removeLast() }
        left -= freed
      } else {
        // A session that still holds the view frees it.
        let isLast = isKnownUniquelyReferenced(&views[views.count - 1])
        let view = views.removeLast()
        guard isLast else { continue }
        (parts, sections) = view.takeApart()
        left -= 1
      }
    }
  }
}
