/// The prefetch targets of one session in a windowed view, and the blocks it displays.
struct PrefetchTargets {
  /// A block to load; targets are listed in order of urgency.
  struct Target {
    var item: BlockItem
    var zone: PrefetchQueue<BlockItem>.Zone
    /// Whether the block is not loaded.
    var isAbsent: Bool
    /// Whether the view still shows an older version of all its visible rows.
    var isAgain: Bool
  }

  private let displayed: DisplayedRanges?
  private let view: WindowedView
  private(set) var targets: [Target] = []
  /// The blocks that hold the displayed rows.
  private(set) var homes: [WindowedContent.Home] = []

  init(_ viewer: any Viewer, _ view: WindowedView) {
    displayed = viewer.displayed
    self.view = view
  }

  /// Collects the prefetch targets and the displayed blocks.
  ///
  /// - Complexity: O(window).
  mutating func collect() {
    guard let displayed else { return }
    let loading = view.loading
    guard loading.hasSections else {
      let item = BlockItem(view: view.number, generation: loading.generation, place: .sections)
      targets = [
        Target(item: item, zone: .visible, isAbsent: true, isAgain: view.next != nil && view.shown.hasSections)
      ]
      return noteHomes(displayed)
    }
    if view.next != nil && view.shown.itemCount == 0 && loading.leaf(at: []) != nil {
      // The shown content is empty; the new one may have rows.
      let rows = 0..<min(displayed.count, loading.count(ofLeaf: 0))
      add(.init(leaf: 0, rows: rows), .visible, isUp: false, seen: [Bool](repeating: true, count: rows.count))
    }
    for zone in displayed.zones {
      for stretch in Self.stretches(zone, displayed, view) {
        let seen = view.next == nil ? [] : seen(stretch)
        for place in Self.places(of: stretch, in: view, shift: Self.shift(zone, displayed, view)) {
          add(place, zone.zone, isUp: zone.isUp, seen: seen)
        }
      }
    }
    noteHomes(displayed)
  }

  private mutating func noteHomes(_ displayed: DisplayedRanges) {
    var last: (leaf: Int, block: Int)?
    for case .row(let slot) in displayed.folded.items(displayed.window)
      + (displayed.held.map(displayed.folded.items) ?? [])
    {
      guard let home = view.shown.home(of: slot), last.map({ $0 != (home.leaf, home.block) }) ?? true else { continue }
      homes.append(home)
      last = (home.leaf, home.block)
    }
  }

  /// Returns, for each row of a stretch, whether it is loaded or absent for a known reason.
  private func seen(_ stretch: WindowedContent.Stretch) -> [Bool] {
    var seen: [Bool] = []
    view.shown.forEach(stretch) { _, row in
      if case .absent(_, _, .some) = row { seen.append(false) } else { seen.append(true) }
    }
    return seen
  }

  /// Appends the blocks that contain a stretch.
  ///
  /// - Parameter seen: Whether each row of the stretch is present in an older version.
  private mutating func add(
    _ stretch: WindowedContent.Stretch, _ zone: PrefetchQueue<BlockItem>.Zone, isUp: Bool, seen: [Bool]
  ) {
    let loading = view.loading
    var found: [Target] = []
    loading.forEach(stretch) { number, row in
      let isAgain = number - stretch.rows.lowerBound < seen.count && seen[number - stretch.rows.lowerBound]
      let target: Target
      switch row {
      case .there(let slot):
        guard let home = loading.home(of: slot) else { return }
        target = Target(item: loading.item(of: home, view: view.number), zone: zone, isAbsent: false, isAgain: isAgain)
      case .absent(_, _, let place):
        guard let place else { return }
        let item = BlockItem(view: view.number, generation: loading.generation, leaf: stretch.leaf, place: place)
        target = Target(item: item, zone: zone, isAbsent: true, isAgain: isAgain)
      }
      if found.last?.item != target.item {
        found.append(target)
      } else if !isAgain {
        found[found.count - 1].isAgain = false
      }
    }
    targets += isUp ? found.reversed() : found
  }

  // MARK: Shown and loading content

  /// Returns the distance from the rows in the shown content to the same rows in the content being
  /// loaded.
  ///
  /// The distance is measured at the first row that both contents have in the same leaf. Returns
  /// `nil` when they have none in common.
  private static func shift(_ zone: DisplayedRanges.Zone, _ displayed: DisplayedRanges, _ view: WindowedView) -> Int? {
    guard let next = view.next else { return 0 }
    switch zone.isHeld ? nil : displayed.stick {
    case .top: return 0
    // A position beyond the end is clamped to the end.
    case .end: return next.itemCount
    case nil: break
    }
    for case .row(let slot) in zone.isHeld ? displayed.folded.items(zone.range) : displayed.anchored {
      guard let old = view.shown.spot(of: slot), let new = next.spot(of: slot),
        view.shown.path(ofLeaf: old.leaf) == next.path(ofLeaf: new.leaf)
      else { continue }
      return new.row - old.row
    }
    return nil
  }

  /// Returns the zone's rows as runs of adjacent rows of one leaf.
  ///
  /// Positions in the zone are counted in the session's folded view.
  private static func stretches(
    _ zone: DisplayedRanges.Zone, _ displayed: DisplayedRanges, _ view: WindowedView
  ) -> [WindowedContent.Stretch] {
    var stretches: [WindowedContent.Stretch] = []
    for position in zone.range {
      guard let (leaf, row) = view.shown.spot(at: displayed.folded.inView(position)) else { continue }
      if let last = stretches.last, last.leaf == leaf, last.rows.upperBound == row {
        stretches[stretches.count - 1].rows = last.rows.lowerBound..<row + 1
      } else {
        stretches.append(.init(leaf: leaf, rows: row..<row + 1))
      }
    }
    return zone.isUp ? stretches.reversed() : stretches
  }

  /// Returns the expected position of shown rows in the content being loaded.
  private static func places(
    of stretch: WindowedContent.Stretch, in view: WindowedView, shift: Int?
  ) -> [WindowedContent.Stretch] {
    guard let next = view.next else { return [stretch] }
    guard let leaf = next.leaf(at: view.shown.path(ofLeaf: stretch.leaf)) else { return [] }
    let count = next.count(ofLeaf: leaf)
    // Clamp to the end in case the leaf has become shorter.
    let start = max(0, min(stretch.rows.lowerBound + (shift ?? 0), count - stretch.rows.count))
    return [.init(leaf: leaf, rows: start..<min(count, start + stretch.rows.count))]
  }

  /// Returns whether the new content can replace the shown one without hiding loaded rows.
  static func canShowNext(_ viewer: any Viewer, _ view: WindowedView) -> Bool {
    guard let next = view.next, let displayed = viewer.displayed else { return true }
    guard next.hasSections, next.isAnswered else { return false }
    // Compare zone by zone, the way the blocks were requested.
    for zone in displayed.zones {
      let shift = shift(zone, displayed, view)
      for stretch in stretches(zone, displayed, view) {
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
