/// What a session's reader sees of a windowed view, and what has to be loaded for it.
struct PrefetchTargets {
  /// A page that is to be there, the most urgent first.
  struct Wish {
    var item: PageItem
    var zone: PrefetchQueue<PageItem>.Zone
    /// Whether it is not there.
    var isAbsent: Bool
    /// Whether all that its reader sees of it is there in an older state.
    var isAgain: Bool
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
      wishes = [Wish(item: item, zone: .visible, isAbsent: true, isAgain: view.next != nil && view.shown.hasSections)]
      return noteHomes(sight)
    }
    if view.next != nil && view.shown.itemCount == 0 && loading.leaf(at: []) != nil {
      // There was nothing; perhaps there is something now.
      let rows = 0..<min(session.reader.count, loading.count(ofLeaf: 0))
      add(.init(leaf: 0, rows: rows), .visible, isUp: false, seen: [Bool](repeating: true, count: rows.count))
    }
    for zone in sight.zones {
      for stretch in Self.stretches(zone, sight, view) {
        let seen = view.next == nil ? [] : seen(stretch)
        for place in Self.places(of: stretch, in: view, shift: Self.shift(zone, sight, view)) {
          add(place, zone.zone, isUp: zone.isUp, seen: seen)
        }
      }
    }
    noteHomes(sight)
  }

  private mutating func noteHomes(_ sight: Session.Sight) {
    var last: (leaf: Int, page: Int)?
    for case .row(let slot) in sight.folded.items(sight.window) + (sight.held.map(sight.folded.items) ?? []) {
      guard let home = view.shown.home(of: slot), last.map({ $0 != (home.leaf, home.page) }) ?? true else { continue }
      homes.append(home)
      last = (home.leaf, home.page)
    }
  }

  /// Which rows of a stretch are shown, or it is known why they are not.
  private func seen(_ stretch: WindowedContent.Stretch) -> [Bool] {
    var seen: [Bool] = []
    view.shown.forEach(stretch) { _, row in
      if case .absent(_, _, .some) = row { seen.append(false) } else { seen.append(true) }
    }
    return seen
  }

  /// Names what a stretch is to be loaded by. `seen`: which of its rows are there in an older state.
  private mutating func add(
    _ stretch: WindowedContent.Stretch, _ zone: PrefetchQueue<PageItem>.Zone, isUp: Bool, seen: [Bool]
  ) {
    let loading = view.loading
    var found: [Wish] = []
    loading.forEach(stretch) { number, row in
      let isAgain = number - stretch.rows.lowerBound < seen.count && seen[number - stretch.rows.lowerBound]
      let wish: Wish
      switch row {
      case .there(let slot):
        guard let home = loading.home(of: slot) else { return }
        wish = Wish(item: loading.item(of: home, view: view.number), zone: zone, isAbsent: false, isAgain: isAgain)
      case .absent(_, _, let place):
        guard let place else { return }
        let item = PageItem(view: view.number, generation: loading.generation, leaf: stretch.leaf, place: place)
        wish = Wish(item: item, zone: zone, isAbsent: true, isAgain: isAgain)
      }
      if found.last?.item != wish.item {
        found.append(wish)
      } else if !isAgain {
        found[found.count - 1].isAgain = false
      }
    }
    wishes += isUp ? found.reversed() : found
  }

  // MARK: Two contents

  /// By how much the reader's rows lie further down in what is being loaded than in what is shown, in the leaf of the first of them that
  /// is in both; `nil` when none is.
  private static func shift(_ zone: Session.Sight.Zone, _ sight: Session.Sight, _ view: WindowedView) -> Int? {
    guard let next = view.next else { return 0 }
    switch zone.isHeld ? nil : sight.stick {
    case .top: return 0
    // Beyond the end is as good as at the end.
    case .end: return next.itemCount
    case nil: break
    }
    for case .row(let slot) in zone.isHeld ? sight.folded.items(zone.range) : sight.anchored(view) {
      guard let old = view.shown.spot(of: slot), let new = next.spot(of: slot),
        view.shown.path(ofLeaf: old.leaf) == next.path(ofLeaf: new.leaf)
      else { continue }
      return new.row - old.row
    }
    return nil
  }

  /// Rows that lie next to each other in one leaf, at positions as the session counts.
  private static func stretches(
    _ zone: Session.Sight.Zone, _ sight: Session.Sight, _ view: WindowedView
  ) -> [WindowedContent.Stretch] {
    var stretches: [WindowedContent.Stretch] = []
    for position in zone.range {
      guard let (leaf, row) = view.shown.spot(at: sight.folded.inView(position)) else { continue }
      if let last = stretches.last, last.leaf == leaf, last.rows.upperBound == row {
        stretches[stretches.count - 1].rows = last.rows.lowerBound..<row + 1
      } else {
        stretches.append(.init(leaf: leaf, rows: row..<row + 1))
      }
    }
    return zone.isUp ? stretches.reversed() : stretches
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
    // Zone by zone, as they are asked for.
    for zone in sight.zones {
      let shift = shift(zone, sight, view)
      for stretch in stretches(zone, sight, view) {
        var isSeen = false
        view.shown.forEach(stretch) { _, row in if case .there = row { isSeen = true } }
        guard isSeen else { continue }
        var isMissing = false
        for place in places(of: stretch, in: view, shift: shift) {
          next.forEach(place) { _, row in if case .absent(_, _, .some) = row { isMissing = true } }
        }
        if isMissing { return false }
      }
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
    let stick: Viewport.Stick?
    /// Where the rows are now that its page holds at an edge which is elsewhere now.
    var held: Range<Int>?

    /// Items that are looked at for one reason, to be walked from near to far.
    struct Zone {
      var range: Range<Int>
      var zone: PrefetchQueue<PageItem>.Zone
      var isUp: Bool
      var isHeld = false
    }

    /// What is visible, what lies ahead, and what lies behind.
    var zones: [Zone] {
      let above = window.lowerBound..<visible.lowerBound
      let below = visible.upperBound..<window.upperBound
      return (held.map { [Zone(range: $0, zone: .visible, isUp: false, isHeld: true)] } ?? []) + [
        Zone(range: visible, zone: .visible, isUp: isUp),
        Zone(range: isUp ? above : below, zone: .leading, isUp: isUp),
        Zone(range: isUp ? below : above, zone: .trailing, isUp: !isUp),
      ]
    }

    /// The row that the reader holds on to, and then all in sight.
    func anchored(_ view: WindowedView) -> [ListView.Item] {
      let own = anchor.flatMap { view.table.slot(of: $0) }.map { [ListView.Item.row($0)] } ?? []
      return own + folded.items(visible)
    }
  }

  /// `nil` while nobody can see the page, and when it has no view. A page that pauses goes on looking: what waits for it is counted.
  ///
  /// - Complexity: O(visible) while the order is held, O(1) else.
  var sight: Sight? {
    guard let folded, !isHidden else { return nil }
    let total = folded.itemCount
    // One that holds looks at where it will be when it lets go.
    var reader = reader
    if isHeld { _ = reader.follow(folded, since: base) }
    var sight = Sight(
      folded: folded, visible: reader.visible(of: total), window: reader.window(of: total),
      isUp: reader.isTravellingUp, anchor: reader.anchor, stick: reader.stick)
    if isHeld, let base, reader.stick != nil {
      reader = self.reader
      reader.leaveEdge()
      let start = base.start + reader.follow(folded, since: base)
      sight.held = (start..<start + base.items.count).clamped(to: 0..<total)
    }
    return sight
  }
}
