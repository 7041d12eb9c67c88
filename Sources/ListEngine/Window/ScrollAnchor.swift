/// The position of a session's viewport, and its scroll anchor: the row that must not move on the
/// screen.
struct ScrollAnchor {
  /// The position of the first visible item, as the client counts after applying all patches sent.
  private(set) var first = 0
  /// The number of visible items.
  private(set) var count = 50
  private var ahead: Int?
  private var behind: Int?
  /// The greatest number of items of a window; a crowded table has less memory for each of its
  /// sessions.
  var greatestWindow = Int.max
  private(set) var anchor: RowID?
  private(set) var stick: Viewport.Stick? = .top
  /// Whether the last scroll went towards the beginning.
  private(set) var isTravellingUp = false

  /// Adopts a viewport's size but not its position.
  mutating func resize(_ viewport: Viewport, limits: Limits) {
    count = min(max(viewport.count, 1), limits.visible)
    ahead = viewport.ahead.map { min(max($0, 0), limits.buffer) }
    behind = viewport.behind.map { min(max($0, 0), limits.buffer) }
  }

  /// Moves to a viewport's position.
  ///
  /// `shift` corrects it for patches that the client had not applied yet.
  mutating func go(to viewport: Viewport, shift: Int) {
    let target = viewport.place + shift
    if target != first { isTravellingUp = target < first }
    first = max(0, target)
    anchor = viewport.anchor
    stick = viewport.stick
  }

  /// Stops sticking to an edge.
  mutating func leaveEdge() { stick = nil }

  /// The scroll anchor that the client has set.
  var namedAnchor: RowID? { stick == nil ? anchor : nil }

  /// Moves so that a row appears `offset` items below the first visible one.
  ///
  /// Returns the distance moved.
  ///
  /// A row in a collapsed section is represented by the section's header.
  mutating func find(_ row: RowID, offset: Int, in view: FoldedView) -> Int {
    guard stick == nil, let slot = view.view.table.slot(of: row), let place = view.place(of: slot) else { return 0 }
    let before = first
    switch place {
    case .shown(let now): first = max(0, now - offset)
    case .folded(_, let header): first = max(0, header - offset)
    }
    return first - before
  }

  /// Returns the visible positions in a view with `total` items.
  func visible(of total: Int) -> Range<Int> {
    let start = min(first, max(0, total - count))
    return start..<min(total, start + min(count, greatestWindow))
  }

  /// Returns the positions that the client should hold: the visible ones and a buffer, most of it
  /// in the direction of travel.
  func window(of total: Int) -> Range<Int> {
    let visible = visible(of: total)
    let most = count - count / 4
    var below = ahead ?? (isTravellingUp ? count - most : most)
    var above = behind ?? (isTravellingUp ? most : count - most)
    let room = greatestWindow - visible.count
    if above + below > room {
      above = room * above / (above + below)
      below = room - above
    }
    return max(0, visible.lowerBound - above)..<min(total, visible.upperBound + below)
  }

  /// Follows the scroll anchor to its current position.
  ///
  /// Returns the distance by which the client must follow.
  ///
  /// The anchor must be a visible row that kept its place relative to the others. If it moved by
  /// its own change, the first visible item that kept its place replaces it. A row in a collapsed
  /// section is represented by the section's header. A viewport that sticks to an edge has no
  /// anchor. If no visible item kept its place, the position stays.
  ///
  /// Where sections are ordered by what their headers show, an item of a section that has moved
  /// comes after the others. A row is then followed, so that its section stays in sight, and a
  /// header is not.
  ///
  /// - Complexity: O(visible), plus O(log n) for the anchor.
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
    let seen = (first..<first + count).clamped(to: base.start..<base.start + base.items.count)
    var candidates = seen.map { $0 - base.start }
    let named = anchor.flatMap { anchor in
      base.items.firstIndex { if case .row(let row) = $0 { row.id == anchor } else { false } }
    }
    if let named { candidates.insert(named, at: 0) }
    let isMoved = Self.movedItems(in: view.view, since: base)
    for index in candidates where isMoved.isEmpty || !isMoved[index] {
      if let shift = shift(of: base.placed[index], at: base.start + index, in: view, since: base) { return shift }
    }
    for index in candidates where !isMoved.isEmpty && isMoved[index] {
      guard case .row = base.placed[index] else { continue }
      if let shift = shift(of: base.placed[index], at: base.start + index, in: view, since: base) { return shift }
    }
    return nil
  }

  /// Returns for each item of a window whether a section that contains it has moved among its
  /// siblings since; empty if sections cannot move.
  private static func movedItems(in view: any QueryView, since base: WindowState) -> [Bool] {
    guard view.query.ranksSections else { return [] }
    var isMoved = view.query.groupings.map { _ in false }
    func note(_ header: HeaderSnapshot) {
      guard header.level < isMoved.count else { return }
      isMoved[header.level] = view.section(numbered: header.section).map { $0.moves != header.moves } ?? false
      for inner in isMoved.indices where inner > header.level { isMoved[inner] = false }
    }
    for header in base.lead { note(header) }
    return base.placed.map { item in
      if case .header(let header) = item { note(header) }
      return isMoved.contains(true)
    }
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

  /// Returns the former position of a header, or the first visible position if the header was above
  /// it.
  private func position(ofHeader section: UInt32, in base: WindowState) -> Int {
    let index = base.items.firstIndex { if case .header(let header) = $0 { header.section == section } else { false } }
    return max(first, index.map { base.start + $0 } ?? first)
  }
}
