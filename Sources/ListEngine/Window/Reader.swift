/// Where a page's reader is, and the row that must not move under the reader's eye.
struct Reader {
  /// The position of the first visible item, as the page will count after all that was sent to it.
  private(set) var first = 0
  /// How many items are visible.
  private(set) var count = 50
  private var ahead: Int?
  private var behind: Int?
  private(set) var anchor: RowID?
  private(set) var stick: Viewport.Stick? = .top
  /// Whether the last scroll went towards the beginning.
  private(set) var isTravellingUp = false

  /// What a viewport says of its size; the place is left as it is.
  mutating func resize(_ viewport: Viewport, limits: Limits) {
    count = min(max(viewport.count, 1), limits.visible)
    ahead = viewport.ahead.map { min(max($0, 0), limits.buffer) }
    behind = viewport.behind.map { min(max($0, 0), limits.buffer) }
  }

  /// Goes to where a viewport says; `shift` is by how much its counting is behind ours.
  mutating func go(to viewport: Viewport, shift: Int) {
    let target = viewport.place + shift
    if target != first { isTravellingUp = target < first }
    first = max(0, target)
    anchor = viewport.anchor
    stick = viewport.stick
  }

  /// Sticks to no edge any more.
  mutating func leaveEdge() { stick = nil }

  /// The row that the page has named as its anchor.
  var namedAnchor: RowID? { stick == nil ? anchor : nil }

  /// Goes to where a row is now that was so far below the first visible item; the result is by how much. Of a row that is folded away the
  /// header takes the place.
  mutating func find(_ row: RowID, offset: Int, in view: FoldedView) -> Int {
    guard stick == nil, let slot = view.view.table.slot(of: row), let place = view.place(of: slot) else { return 0 }
    let before = first
    switch place {
    case .shown(let now): first = max(0, now - offset)
    case .folded(_, let header): first = max(0, header - offset)
    }
    return first - before
  }

  /// The items in sight of a view with this many.
  func visible(of total: Int) -> Range<Int> {
    let start = min(first, max(0, total - count))
    return start..<min(total, start + count)
  }

  /// The items that the page is to hold: what is in sight and a buffer around it, most of it in the direction of travel.
  func window(of total: Int) -> Range<Int> {
    let visible = visible(of: total)
    let most = count - count / 4
    let below = ahead ?? (isTravellingUp ? count - most : most)
    let above = behind ?? (isTravellingUp ? most : count - most)
    return max(0, visible.lowerBound - above)..<min(total, visible.upperBound + below)
  }

  /// Follows the anchor to where it is now; the result is by how much the page is to follow.
  ///
  /// The anchor is a row in sight that kept its own place among the others: one that moved by itself is let go, and the first item in
  /// sight that kept its place is taken. One that was folded away leaves its place to the header that stands for it. At an edge that the
  /// reader sticks to there is no anchor. When nothing in sight kept its place, the position is held.
  ///
  /// - Complexity: O(visible), and O(log n) for the anchor.
  mutating func follow(_ view: FoldedView, since base: WindowState?) -> Int {
    let total = view.itemCount
    let before = first
    switch stick {
    case .top:
      first = 0
      return -before
    case .end:
      first = max(0, total - count)
      return first - before
    case nil:
      guard let base, let shift = shift(in: view, since: base) else { return 0 }
      first = max(0, first + shift)
      return first - before
    }
  }

  private func shift(in view: FoldedView, since base: WindowState) -> Int? {
    let sight = (first..<first + count).clamped(to: base.start..<base.start + base.items.count)
    if let anchor {
      for index in base.items.indices {
        guard case .row(let row) = base.items[index], row.id == anchor else { continue }
        if let shift = shift(of: base.placed[index], at: base.start + index, in: view, since: base) { return shift }
        break
      }
    }
    for position in sight {
      if let shift = shift(of: base.placed[position - base.start], at: position, in: view, since: base) { return shift }
    }
    return nil
  }

  private func shift(of item: WindowItem, at position: Int, in view: FoldedView, since base: WindowState) -> Int? {
    let place: FoldedView.Place?
    switch item {
    case .header(let header): place = view.view.section(numbered: header.section).flatMap { view.place(of: $0) }
    case .row(let row):
      guard row.absence == nil, let slot = view.view.table.slot(of: row.id),
        view.view.keepsPlace(slot, since: row, relabelings: base.relabelings)
      else { return nil }
      place = view.place(of: slot)
    }
    switch place {
    case .shown(let now): return now - position
    case .folded(let section, let now): return now - self.position(ofHeader: section, in: base)
    case nil: return nil
    }
  }

  /// Where a header was; the top of what is visible when it was above that.
  private func position(ofHeader section: UInt32, in base: WindowState) -> Int {
    let index = base.items.firstIndex { if case .header(let header) = $0 { header.section == section } else { false } }
    return max(first, index.map { base.start + $0 } ?? first)
  }
}
