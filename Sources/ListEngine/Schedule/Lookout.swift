/// What a session's reader sees of a windowed view, and what has to be loaded for it.
struct Lookout {
  /// A page that is to be there, the most urgent first.
  struct Wish {
    var item: PageItem
    var zone: PrefetchQueue<PageItem>.Zone
    /// Whether it is not there.
    var isAbsent: Bool
  }

  private let session: Session
  private let view: WindowedView
  private(set) var wishes: [Wish] = []
  /// Where rows are that it looks at.
  private(set) var homes: [WindowedContent.Home] = []

  init(_ session: Session, _ view: WindowedView) {
    self.session = session
    self.view = view
  }

  /// Finds out what it looks at.
  ///
  /// - Complexity: O(window).
  mutating func look() {
    guard let sight = session.sight else { return }
    let loading = view.loading
    guard loading.hasSections else {
      let item = PageItem(view: view.number, generation: loading.generation, place: .sections)
      wishes = [Wish(item: item, zone: .visible, isAbsent: true)]
      return noteHomes(sight.window)
    }
    if view.next != nil && view.shown.itemCount == 0 && loading.leaf(at: []) != nil {
      // There was nothing; perhaps there is something now.
      add(.init(leaf: 0, rows: 0..<min(session.reader.count, loading.count(ofLeaf: 0))), .visible, isUp: false)
    }
    for (range, zone, isUp) in sight.zones {
      for stretch in Self.stretches(range, isUp: isUp, sight.folded, view) {
        for place in Self.places(of: stretch, in: view, shift: shift(sight)) { add(place, zone, isUp: isUp) }
      }
    }
    noteHomes(sight.window)
  }

  private mutating func noteHomes(_ window: Range<Int>) {
    var last: (leaf: Int, page: Int)?
    for case .row(let slot) in session.folded?.items(window) ?? [] {
      guard let home = view.shown.home(of: slot), last.map({ $0 != (home.leaf, home.page) }) ?? true else { continue }
      homes.append(home)
      last = (home.leaf, home.page)
    }
  }

  private mutating func add(_ stretch: WindowedContent.Stretch, _ zone: PrefetchQueue<PageItem>.Zone, isUp: Bool) {
    let loading = view.loading
    var found: [Wish] = []
    loading.forEach(stretch) { _, row in
      let wish: Wish
      switch row {
      case .there(let slot):
        guard let home = loading.home(of: slot) else { return }
        wish = Wish(item: loading.item(of: home, view: view.number), zone: zone, isAbsent: false)
      case .absent(_, _, let place):
        guard let place else { return }
        let item = PageItem(view: view.number, generation: loading.generation, leaf: stretch.leaf, place: place)
        wish = Wish(item: item, zone: zone, isAbsent: true)
      }
      if found.last?.item != wish.item { found.append(wish) }
    }
    wishes += isUp ? found.reversed() : found
  }

  // MARK: Two contents

  /// By how much the reader's rows lie further down in what is being loaded than in what is shown, in the leaf of the first of them that
  /// is in both; `nil` when none is.
  private func shift(_ sight: Session.Sight) -> Int? { Self.shift(sight, view) }

  private static func shift(_ sight: Session.Sight, _ view: WindowedView) -> Int? {
    guard let next = view.next else { return 0 }
    for case .row(let slot) in sight.anchored(view) {
      guard let old = view.shown.spot(of: slot), let new = next.spot(of: slot),
        view.shown.path(ofLeaf: old.leaf) == next.path(ofLeaf: new.leaf)
      else { continue }
      return new.row - old.row
    }
    return nil
  }

  /// Rows that lie next to each other in one leaf, at positions as the session counts.
  private static func stretches(
    _ range: Range<Int>, isUp: Bool, _ folded: FoldedView, _ view: WindowedView
  ) -> [WindowedContent.Stretch] {
    var stretches: [WindowedContent.Stretch] = []
    for position in range {
      guard let (leaf, row) = view.shown.spot(at: folded.inView(position)) else { continue }
      if let last = stretches.last, last.leaf == leaf, last.rows.upperBound == row {
        stretches[stretches.count - 1].rows = last.rows.lowerBound..<row + 1
      } else {
        stretches.append(.init(leaf: leaf, rows: row..<row + 1))
      }
    }
    return isUp ? stretches.reversed() : stretches
  }

  /// Where rows of what is shown are to be looked for in what is being loaded.
  private static func places(
    of stretch: WindowedContent.Stretch, in view: WindowedView, shift: Int?
  ) -> [WindowedContent.Stretch] {
    guard let next = view.next else { return [stretch] }
    guard let leaf = next.leaf(at: view.shown.path(ofLeaf: stretch.leaf)) else { return [] }
    let count = next.count(ofLeaf: leaf)
    // At the end of what is there when it has become shorter.
    let start = max(0, min(stretch.rows.lowerBound + (shift ?? 0), count - stretch.rows.count))
    return [.init(leaf: leaf, rows: start..<min(count, start + stretch.rows.count))]
  }

  /// Whether the new content has a row, or none, wherever the session's page holds one.
  static func canShowNext(_ session: Session, _ view: WindowedView) -> Bool {
    guard let next = view.next, let sight = session.sight else { return true }
    guard next.hasSections, next.isAnswered else { return false }
    let shift = shift(sight, view)
    for stretch in stretches(sight.window, isUp: false, sight.folded, view) {
      var isSeen = false
      view.shown.forEach(stretch) { _, row in if case .there = row { isSeen = true } }
      guard isSeen else { continue }
      var isMissing = false
      for place in places(of: stretch, in: view, shift: shift) {
        next.forEach(place) { _, row in if case .absent(_, _, .some) = row { isMissing = true } }
      }
      if isMissing { return false }
    }
    return true
  }
}

extension Session {
  /// Where its reader looks, in items as the page counts them.
  struct Sight {
    let folded: FoldedView
    let visible: Range<Int>
    let window: Range<Int>
    let isUp: Bool
    let anchor: RowID?

    /// What is visible, what lies ahead, and what lies behind; each to be walked from near to far.
    var zones: [(range: Range<Int>, zone: PrefetchQueue<PageItem>.Zone, isUp: Bool)] {
      let (above, below) = (window.lowerBound..<visible.lowerBound, visible.upperBound..<window.upperBound)
      return isUp
        ? [(visible, .visible, true), (above, .leading, true), (below, .trailing, false)]
        : [(visible, .visible, false), (below, .leading, false), (above, .trailing, true)]
    }

    /// The row that the reader holds on to, and then all in sight.
    func anchored(_ view: WindowedView) -> [ListView.Item] {
      let own = anchor.flatMap { view.table.slot(of: $0) }.map { [ListView.Item.row($0)] } ?? []
      return own + folded.items(visible)
    }
  }

  /// `nil` while nobody can see the page, and when it has no view. A page that pauses goes on looking: what waits for it is counted.
  var sight: Sight? {
    guard let folded, !isHidden else { return nil }
    let total = folded.itemCount
    return Sight(
      folded: folded, visible: reader.visible(of: total), window: reader.window(of: total),
      isUp: reader.isTravellingUp, anchor: reader.anchor)
  }
}
