/// A view as those pages see it that have collapsed the same sections of it: the headers stay, what lies below them takes no place.
///
/// Positions differ from the view's by what is folded away above them. Each fold is an entry in one sorted list, so a position is found
/// by a binary search; the list follows the view when someone looks.
final class FoldedView {
  let view: any QueryView
  /// The values of each collapsed section, from the outermost to its own. A section that is not there (yet, or any more) is collapsed
  /// when it comes.
  let collapsed: Set<[Cell]>

  /// Items that are folded away: all of a section but its header.
  private struct Fold {
    let section: Section
    /// The first one's position in the view.
    let start: Int
    let count: Int
    /// How many are folded away before it.
    let before: Int
    /// The position for pages of what follows.
    var shownStart: Int { start - before }
  }

  /// The collapsed sections that are there, in order.
  private var sections: [Section] = []
  private var numbers: Set<UInt32> = []
  /// Those that lie in no other.
  private var folds: [Fold] = []
  /// The first items while the view is put together, as long as it is.
  private var selection: ViewBuild.Selection? {
    guard selected != nil else { return nil }
    if (view as? ListView)?.build == nil { selected = nil }
    return selected
  }
  private var selected: ViewBuild.Selection?
  private var resolvedAt = -1
  private var measuredAt = -1

  init(_ view: any QueryView, collapsed: Set<[Cell]>) {
    self.view = view
    self.collapsed = collapsed
  }

  /// How many items pages see.
  var itemCount: Int {
    if let selection { return selection.itemCount }
    update()
    return view.itemCount - (folds.last.map { $0.before + $0.count } ?? 0)
  }

  /// Whether pages see only the header of the section with this number.
  func isCollapsed(_ number: UInt32) -> Bool {
    if let selection { return selection.collapsed.contains(number) }
    update()
    return numbers.contains(number)
  }

  /// Where pages see an item of the view.
  enum Place {
    case shown(Int)
    /// It is folded away; the header of this section, at this position, stands for it.
    case folded(UInt32, Int)
  }

  /// Where pages see a row.
  ///
  /// - Complexity: O(log n).
  func place(of slot: UInt32) -> Place? { view.position(of: slot).map(place) }

  /// Where pages see a section's header.
  ///
  /// - Complexity: O(log n).
  func place(of section: Section) -> Place? { view.position(of: section).map(place) }

  private func place(of position: Int) -> Place {
    update()
    let after = firstFold { $0.start > position }
    guard after > 0 else { return .shown(position) }
    let fold = folds[after - 1]
    guard position < fold.start + fold.count else { return .shown(position - fold.before - fold.count) }
    return .folded(fold.section.number, fold.shownStart - 1)
  }

  /// The items at positions as pages count, in order.
  ///
  /// - Complexity: O(count · log n) at worst, O(log n + count) without folds among them.
  func items(_ range: Range<Int>) -> [ListView.Item] {
    if let selection { return Array(selection.items[range]) }
    update()
    guard !folds.isEmpty else { return view.items(range) }
    var items: [ListView.Item] = []
    items.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      let next = firstFold { $0.shownStart > position }
      let end = next < folds.count ? min(range.upperBound, folds[next].shownStart) : range.upperBound
      let start = inView(position)
      items += view.items(start..<start + (end - position))
      position = end
    }
    return items
  }

  /// The sections in which the item at this position, as pages count, lies and whose headers are above it, outermost first.
  func sections(above position: Int) -> [Section] {
    if let selection { return sections(above: position, in: selection.items) }
    update()
    return view.sections(above: inView(position))
  }

  private func sections(above position: Int, in items: [ListView.Item]) -> [Section] {
    guard view.isGrouped, position < items.count else { return [] }
    if case .header(let section) = items[position] { return section.chain.dropLast() }
    for item in items[..<position].reversed() { if case .header(let section) = item { return section.chain } }
    return []
  }

  /// Finds the first items though the view is being put together. The result is how many there are; `nil` when it is too early.
  func selectFirstItems() -> Int? {
    guard let view = view as? ListView, let build = view.build, view.canShowFirstItems else { return nil }
    if let selected, build.isCurrent(selected) { return selected.items.count }
    guard let made = build.select(collapsed) else { return nil }
    selected = made
    return made.items.count
  }

  /// The position in the view of an item at a position as pages count.
  func inView(_ position: Int) -> Int {
    update()
    let next = firstFold { $0.shownStart > position }
    return next == 0 ? position : position + folds[next - 1].before + folds[next - 1].count
  }

  private func firstFold(_ isAfter: (Fold) -> Bool) -> Int {
    var low = 0
    var high = folds.count
    while low < high {
      let middle = (low + high) / 2
      if isAfter(folds[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Follows the view.
  ///
  /// - Complexity: O(1) when it has not changed, O(f log n) for f collapsed sections otherwise.
  private func update() {
    guard !collapsed.isEmpty, measuredAt != view.version, view.isInOrder else { return }
    if resolvedAt != view.structure {
      sections = collapsed.compactMap { view.section(at: $0) }
      numbers = Set(sections.map(\.number))
    }
    var places = sections.map { (section: $0, position: view.position(of: $0) ?? 0) }
    if resolvedAt != view.structure {
      places.sort { $0.position < $1.position }
      sections = places.map(\.section)
    }
    folds.removeAll(keepingCapacity: true)
    for (section, position) in places {
      let last = folds.last
      guard position >= (last.map { $0.start + $0.count } ?? 0) else { continue }
      folds.append(
        Fold(
          section: section, start: position + 1, count: section.items - 1,
          before: last.map { $0.before + $0.count } ?? 0))
    }
    resolvedAt = view.structure
    measuredAt = view.version
  }
}
