/// The first window of a view under construction.
extension ViewBuild {
  /// The first items at some moment, for one set of collapsed sections.
  struct Selection {
    let items: [ListView.Item]
    /// The total number of items.
    let itemCount: Int
    /// The numbers of the collapsed sections.
    let collapsed: Set<UInt32>
    /// The build that made the selection, and the end of the table's log at that time.
    fileprivate weak let build: ViewBuild?
    fileprivate let moment: Int
    /// The number of rows that were tested again by then because time had passed.
    fileprivate let crossings: Int
  }

  /// The maximum filter work of a selection for rows that have changed.
  private static var lateFilterWork: Int { 1 << 20 }

  /// Returns whether a selection is up to date.
  func isCurrent(_ selection: Selection) -> Bool {
    selection.build === self && selection.moment == table.log.end && selection.crossings == view.crossings.taken
      && !view.crossings.isDue
  }

  /// Selects the first items as they are now, for one set of collapsed sections.
  ///
  /// Returns `nil` if evaluating the changed rows is too expensive.
  ///
  /// - Complexity: O(rows), without sorting them.
  func select(_ paths: Set<[Cell]>) -> Selection? {
    noteChanges()
    guard !view.crossings.isDue else { return nil }
    guard let shown = shownLate() else {
      hasExpensiveChanges = true
      return nil
    }
    // Changed rows are few: they are evaluated with their present values, and may add sections.
    let late = Dictionary(grouping: shown) { lateSection(of: $0).number }
    count(late: late)
    selectedRows = sections[0].count
    if view.query.ranksSections { for section in sections { _ = view.place(section) } }
    let collapsed = Set(paths.compactMap { view.section(at: $0) }.map(\.number))
    return Selection(
      items: select(collapsed, late: late), itemCount: itemCount(collapsed), collapsed: collapsed, build: self,
      moment: table.log.end, crossings: view.crossings.taken)
  }

  /// Returns the changed rows that match the filter now, or `nil` if this is too expensive.
  private func shownLate() -> [UInt32]? {
    let limit = view.filter.work + Self.lateFilterWork
    var shown: [UInt32] = []
    for slot in changed.slots where table.isAlive(slot) {
      guard view.filter.work < limit, let isShown = view.filter.lets(slot, until: limit) else { return nil }
      if isShown { shown.append(slot) }
      if view.filter.isRelative { view.noteCrossing(of: slot, at: view.filter.crossing) }
    }
    return shown
  }

  /// Returns the number of items that are not in collapsed sections.
  private func itemCount(_ collapsed: Set<UInt32>) -> Int {
    guard !collapsed.isEmpty else { return selectedRows + sections.count { $0.level >= 0 && $0.count > 0 } }
    var hidden = collapsed
    var items = 0
    // Each section comes after its parent.
    for section in sections where section.count > 0 {
      if let parent = section.parent, hidden.contains(parent.number) {
        hidden.insert(section.number)
        continue
      }
      if section.level >= 0 { items += 1 }
      if isLeaf(section) && !hidden.contains(section.number) { items += section.count }
    }
    return items
  }

  /// Updates the number of rows of each section.
  private func count(late: [UInt32: [UInt32]]) {
    for (index, section) in sections.enumerated() {
      let gathered = index < rowsOfSection.count ? rowsOfSection[index] : 0
      section.provisionalCount = gathered + (late[section.number]?.count ?? 0)
    }
    for section in sections.reversed() {
      section.announcedCount = section.count
      section.parent?.provisionalCount? += section.count
    }
  }

  private func select(_ collapsed: Set<UInt32>, late lateRows: [UInt32: [UInt32]]) -> [ListView.Item] {
    // Collect the sections that reach into the selection, with their number of rows.
    var shown: [(section: Section, headers: ArraySlice<Section>, rows: Int)] = []
    var size = 0
    var last: [Section] = []
    let late = sections[rankedSections...].filter { isLeaf($0) }
    let isInOrder = late.isEmpty && !view.query.ranksSections
    let ordered = isInOrder ? leaves : (leaves + late).sorted { $0.precedes($1) }
    for section in ordered where section.count > 0 && size < Self.selectionSize {
      var chain = section.chain
      let fold = chain.firstIndex { collapsed.contains($0.number) }
      if let fold { chain = Array(chain[...fold]) }
      let common = chain.indices.first { $0 >= last.count || chain[$0] !== last[$0] } ?? chain.count
      let headers = chain[common...].prefix(Self.selectionSize - size)
      size += headers.count
      let rows = fold == nil ? min(section.count, Self.selectionSize - size) : 0
      size += rows
      shown.append((section, headers, rows))
      last = chain
    }
    var heaps: [UInt32: BoundedHeap] = [:]
    firstRows.remove(changed) { comparator.precedes($0, $1) }
    for (section, _, rows) in shown where rows > 0 { heaps[section.number] = firstRows(of: section, count: rows) }
    let unknown = shown.filter { $0.rows > 0 && heaps[$0.section.number] == nil }
    if !unknown.isEmpty { scan(for: unknown.map { ($0.section, $0.rows) }, &heaps) }
    add(lateRows, to: &heaps)
    var selection: [ListView.Item] = []
    for (section, headers, count) in shown {
      for header in headers { selection.append(.header(header)) }
      let rows = heaps[section.number]?.sorted { comparator.precedes($0, $1) } ?? []
      selection.append(contentsOf: rows.prefix(count).map { .row($0) })
    }
    return selection
  }

  /// Returns the first gathered rows of a section, or `nil` if they have to be found by a scan.
  private func firstRows(of section: Section, count: Int) -> BoundedHeap? {
    guard view.isGrouped else { return firstRows.heap(of: 0, count: count) }
    guard !firstRows.isAbandoned else { return nil }
    // A section that only changed rows have has no gathered rows.
    return section.place < rankedSections
      ? firstRows.heap(of: section.place, count: count) : BoundedHeap(limit: count)
  }

  /// Finds the first rows of these sections among the gathered ones.
  ///
  /// - Complexity: O(rows).
  private func scan(for wanted: [(section: Section, rows: Int)], _ heaps: inout [UInt32: BoundedHeap]) {
    let (changed, comparator, isGrouped) = (changed, comparator, view.isGrouped)
    var (rows, found) = (block, wanted.map { BoundedHeap(limit: $0.rows) })
    let places = Dictionary(uniqueKeysWithValues: wanted.enumerated().map { ($1.section.number, UInt32($0)) })
    let heapOfSection = sections.map { places[$0.number] ?? .max }
    for index in 0..<(capacity + 63) / 64 where gathered[index] != 0 {
      let base = UInt32(index) << 6
      rows.set(base: base, mask: gathered[index] & ~changed.word(of: base))
      for slot in UnsafeBufferPointer(start: rows.slots, count: rows.count) {
        let place = heapOfSection[isGrouped ? Int(sectionOfRow[slot]) : 0]
        guard place != .max else { continue }
        found[Int(place)].offer(key: comparator.key(slot), slot: slot) { comparator.precedes($0, $1) }
      }
    }
    for (wanted, heap) in zip(wanted, found) { heaps[wanted.section.number] = heap }
  }

  /// Adds changed rows, with their present values, to the first rows of their sections.
  private func add(_ late: [UInt32: [UInt32]], to heaps: inout [UInt32: BoundedHeap]) {
    for (section, slots) in late where heaps[section] != nil {
      for slot in slots {
        heaps[section]?.offer(key: comparator.key(slot), slot: slot) { comparator.precedes($0, $1) }
      }
    }
  }
}
