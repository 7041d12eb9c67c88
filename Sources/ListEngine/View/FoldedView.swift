/// A view with collapsed sections: their headers remain, and the items below them take no
/// positions.
///
/// All sessions with the same collapsed sections share it. Its positions differ from the view's by
/// the number of items folded above. The folds form one sorted list, so that a position is found by
/// binary search. The list is updated on access.
final class FoldedView {
  let view: any QueryView
  /// The paths of the collapsed sections, each from the outermost section to its own.
  ///
  /// A path may name a section that does not exist; it is collapsed as soon as it exists.
  let collapsed: Set<[Cell]>

  /// A run of hidden items: all items of a section except its header.
  private struct Fold {
    let section: Section
    /// The position of the first hidden item in the view.
    let start: Int
    let count: Int
    /// The number of items hidden before this fold.
    let before: Int
    /// The folded position of the item after this fold.
    var shownStart: Int { start - before }
  }

  /// The collapsed sections that exist, in order of position.
  private var sections: [Section] = []
  private var numbers: Set<UInt32> = []
  /// The folds that are not inside another fold, in order of position.
  private var folds: [Fold] = []
  /// The first items of a view under construction, or `nil` if there are none or the view is
  /// complete.
  private var selection: ViewBuild.Selection? {
    guard selected != nil else { return nil }
    if view.build == nil { selected = nil }
    return selected
  }
  private var selected: ViewBuild.Selection?
  private var resolvedAt = -1
  private var measuredAt = -1

  init(_ view: any QueryView, collapsed: Set<[Cell]>) {
    self.view = view
    self.collapsed = collapsed
  }

  /// The number of items that are not hidden.
  var itemCount: Int {
    if let selection { return selection.itemCount }
    update()
    return view.itemCount - (folds.last.map { $0.before + $0.count } ?? 0)
  }

  /// Returns whether the section with this number is collapsed.
  func isCollapsed(_ number: UInt32) -> Bool {
    if let selection { return selection.collapsed.contains(number) }
    update()
    return numbers.contains(number)
  }

  /// The folded position of an item of the view.
  enum Place {
    case shown(Int)
    /// Hidden in the section with this number, whose header is at this position.
    case folded(UInt32, Int)
  }

  /// Returns the folded position of a row, or `nil` if the view does not contain it.
  ///
  /// - Complexity: O(log n).
  func place(of slot: UInt32) -> Place? { view.position(of: slot).map(place) }

  /// Returns the folded position of a section's header.
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

  /// Returns the items in a range of folded positions, in order.
  ///
  /// - Complexity: O(log n + count) without folds in the range, at worst O(count · log n).
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

  /// Returns the sections that contain the item at this folded position and begin above it,
  /// outermost first.
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

  /// Selects the first items of a view under construction.
  ///
  /// Returns their number, or `nil` if it is too early to select them.
  func selectFirstItems() -> Int? {
    guard let build = view.build, view.canShowFirstItems else { return nil }
    if let selected, build.isCurrent(selected) { return selected.items.count }
    guard let made = build.select(collapsed) else { return nil }
    selected = made
    return made.items.count
  }

  /// Returns the view position of the item at a folded position.
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

  /// Updates the folds if the view has changed.
  ///
  /// - Complexity: O(1) if it has not changed, otherwise O(f log n) for f collapsed sections.
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
