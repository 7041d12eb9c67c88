/// The construction of a ``ListView`` in bounded steps, so that a query on millions of rows delays
/// no session.
///
/// First it gathers the rows that match the filter, with their sort keys. From these it selects the
/// first window, as a top-N scan does. Clients can display this selection while runs of rows are
/// sorted and merged. Rows that change meanwhile are left out, and the view inserts them when it
/// catches up.
final class ViewBuild {
  /// A gathered row.
  private struct Entry {
    var key: UInt64
    var slot: UInt32
    /// The index of its section; after ``rank()``, the section's index among the leaves.
    var section: UInt32
  }

  /// Rows whose slots are all below the same multiple of 64.
  struct Block {
    var count = 0
    var slots = [UInt32](repeating: 0, count: 64)
    /// The indices of the rows' sections.
    var sections = [UInt32](repeating: 0, count: 64)
    /// The tested rows whose result changes as time passes, with the time of the change.
    var crossings: [(slot: UInt32, time: Int64)] = []
  }

  private struct SectionKey: Hashable {
    var parent: UInt32
    var value: Cell
  }

  /// The number of items in a selection.
  static let selectionSize = 1024

  /// The filter work (``RowFilter/work``) that costs as much as gathering a row.
  ///
  /// Long texts and expensive patterns therefore shorten the steps.
  static var filterWorkPerRow: Int { 64 }
  /// The maximum filter work of a selection for rows that have changed.
  private static var lateFilterWork: Int { 1 << 20 }

  /// The cost of a new collation key and of a new section, in rows gathered.
  private static var rowsPerCollationKey: Int { 16 }
  private static var rowsPerSection: Int { 64 }
  /// The cost of sorting or merging a row, in rows gathered.
  private static var rowsPerSorted: Int { 8 }

  private enum Phase {
    case gather, rank, number, sort, merge, nest, announce, done
  }

  private unowned let view: ListView
  private let table: Table
  private let comparator: RowComparator
  /// The number of rows read in a step; steps that sort or merge handle fewer.
  private let stepRows: Int
  /// The position of the table's log at the start of the build.
  let position: Int
  private var phase = Phase.gather
  private var next: UInt32 = 0
  private var entries: [Entry] = []
  /// The sections found so far, each after its parent; the first one is the root.
  private var sections: [Section]
  /// The sections with rows, in order.
  private var leaves: [Section] = []
  /// The number of sections when they were ranked; later ones come from changed rows.
  private var rankedSections = 0
  /// The index of a section by its parent and its text's number in the column's pool, or by its
  /// value.
  private var sectionOfText: TextSections
  private var sectionOfValue: [SectionKey: UInt32] = [:]
  /// The section index of each gathered row, by slot; used only with grouping.
  private let sectionOfRow = Chunked<UInt32>(filler: .max)
  /// The number of gathered and unchanged rows of each section, by index; used only with grouping.
  private var rowsOfSection: [Int] = []
  /// The rows that changed since the build began, and the position up to which the log was read.
  private var changed = ChangedRows()
  private var logSeen: Int
  /// The work done so far, in rows gathered.
  private(set) var spent = 0
  /// Whether sections of some level are ordered by an aggregate.
  private let isOrderedByAggregate: Bool
  /// Whether selections are disabled because evaluating the changed rows is too expensive.
  private var hasExpensiveChanges = false
  /// The number of sections or entries done in the present phase.
  private var cursor = 0
  private var leastKey = UInt64.max
  private var greatestKey: UInt64 = 0
  private var runs: [Range<Int>] = []
  private var heads: [Int] = []

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

  /// The number of rows at the last selection.
  private(set) var selectedRows = 0

  init(_ view: ListView, root: Section) {
    self.view = view
    table = view.table
    comparator = view.comparator
    stepRows = max(4, table.limits.stepRows)
    isOrderedByAggregate = view.query.sections.contains { if case .aggregate = $0.key { true } else { false } }
    position = table.log.end
    logSeen = position
    sections = [root]
    sectionOfText = TextSections(seed: table.seed)
  }

  deinit { sectionOfRow.deallocate() }

  /// Whether the order is complete.
  var isDone: Bool { phase == .done }
  /// Whether a selection can be made, because all rows are gathered.
  ///
  /// Aggregates are not known before the end, and so is an order by them.
  var canSelect: Bool {
    !hasExpensiveChanges && !isOrderedByAggregate && (phase == .number || phase == .sort || phase == .merge)
  }
  /// Whether rows are still being gathered, so that a selection may be possible later.
  var isGathering: Bool { phase == .gather || phase == .rank }
  /// Returns whether a selection is up to date.
  func isCurrent(_ selection: Selection) -> Bool {
    selection.build === self && selection.moment == table.log.end && selection.crossings == view.crossings.taken
      && !view.crossings.isDue
  }

  /// Performs one step.
  func step() {
    noteChanges()
    spent += 1
    switch phase {
    case .gather: gather()
    case .rank: rank()
    case .number: number()
    case .sort: sort()
    case .merge: merge()
    case .nest: nest()
    case .announce: announce()
    case .done: break
    }
  }

  // MARK: Changes during the build

  private func noteChanges() {
    view.crossings.followTime()
    for change in table.log.since(logSeen) where view.concerns(change) { noteChange(of: change.slot) }
    logSeen = table.log.end
    let crossed = view.takeCrossings(atMost: stepRows)
    for slot in crossed { noteChange(of: slot) }
    spent += crossed.count
  }

  private func noteChange(of slot: UInt32) {
    guard changed.insert(slot), slot < sectionOfRow.count, sectionOfRow[slot] != .max else { return }
    rowsOfSection[Int(sectionOfRow[slot])] -= 1
  }

  // MARK: Steps

  private func gather() {
    let end = min(table.slots, next + UInt32(stepRows))
    if next == 0 && !view.isFiltered { entries.reserveCapacity(table.count) }
    // Use local variables in the loop, because class properties are checked at every access.
    var entries: [Entry] = []
    swap(&entries, &self.entries)
    var known = TextSections(seed: 0)
    swap(&known, &sectionOfText)
    var rowCounts: [Int] = []
    swap(&rowCounts, &rowsOfSection)
    let (filter, groups, isGrouped) = (view.filter, view.groups, view.isGrouped)
    let (start, workBefore, keysBefore, sectionsBefore) = (
      next, filter.work, comparator.collationKeysMade, sections.count
    )
    let sieve = Sieve(filter: filter, changed: changed, comparator: comparator, labels: table.labels)
    let greatestWork = filter.work + stepRows * Self.filterWorkPerRow
    let mostKeys = comparator.collationKeysMade + max(1, stepRows / Self.rowsPerCollationKey)
    let mostSections = sections.count + max(1, stepRows / Self.rowsPerSection)
    var rows = Block()
    while next < end && filter.work < greatestWork && sections.count < mostSections {
      if sieve.comparator.isCollated, sieve.comparator.collationKeysMade >= mostKeys { break }
      next = sieve.find(&rows, from: next, to: min(end, (next | 63) + 1), work: greatestWork, collationKeys: mostKeys)
      for (slot, time) in rows.crossings { view.noteCrossing(of: slot, at: time) }
      if isGrouped { findSections(&rows, groups, &known, &rowCounts) }
      for place in 0..<rows.count {
        let slot = rows.slots[place]
        entries.append(
          Entry(key: sieve.comparator.key(slot), slot: slot, section: isGrouped ? rows.sections[place] : 0))
      }
    }
    swap(&entries, &self.entries)
    swap(&known, &sectionOfText)
    swap(&rowCounts, &rowsOfSection)
    spent += Int(next - start) + (filter.work - workBefore) / Self.filterWorkPerRow
    spent += (comparator.collationKeysMade - keysBefore) * Self.rowsPerCollationKey
    spent += (sections.count - sectionsBefore) * Self.rowsPerSection
    if next == table.slots { phase = .rank }
  }

  /// Finds or adds the sections of these rows, column by column, and counts the rows in them.
  private func findSections(
    _ rows: inout Block, _ groups: [ColumnStore], _ known: inout TextSections, _ rowCounts: inout [Int]
  ) {
    guard rows.count > 0 else { return }
    // Equal texts have equal numbers while the pool shares them, and a text in use keeps its
    // number.
    for place in 0..<rows.count { rows.sections[place] = 0 }
    for column in groups {
      for place in 0..<rows.count {
        let (slot, parent) = (rows.slots[place], rows.sections[place])
        guard let text = column.sharedText(slot) else {
          rows.sections[place] = section(of: column.cell(slot), in: parent)
          continue
        }
        if let section = known.section(of: text, in: parent) {
          rows.sections[place] = section
          continue
        }
        rows.sections[place] = section(of: column.cell(slot), in: parent)
        known.note(rows.sections[place], of: text, in: parent)
      }
    }
    let sectionOfRow = sectionOfRow
    sectionOfRow.grow(to: Int(rows.slots[rows.count - 1]) + 1)
    while rowCounts.count < sections.count { rowCounts.append(0) }
    for place in 0..<rows.count {
      sectionOfRow[rows.slots[place]] = rows.sections[place]
      rowCounts[Int(rows.sections[place])] += 1
    }
  }

  private func section(of value: Cell, in parent: UInt32) -> UInt32 {
    let key = SectionKey(parent: parent, value: value)
    if let known = sectionOfValue[key] { return known }
    let index = UInt32(sections.count)
    sections.append(view.addSection(value, to: sections[Int(parent)]))
    sectionOfValue[key] = index
    return index
  }

  /// Returns the section of a changed row.
  ///
  /// It is found by values because the number of a text may be reused.
  private func lateSection(of slot: UInt32) -> Section {
    var section: UInt32 = 0
    for column in view.groups { section = self.section(of: column.cell(slot), in: section) }
    return sections[Int(section)]
  }

  private func isLeaf(_ section: Section) -> Bool { section.level + 1 == view.groups.count }

  /// Collects the sections with rows, in order.
  private func rank() {
    var leaf = leaves.last.map(self.leaf(after:)) ?? firstLeaf(of: sections[0])
    var left = max(1, stepRows / Self.rowsPerSection)
    while let some = leaf, left > 0 {
      some.place = leaves.count
      leaves.append(some)
      left -= 1
      spent += Self.rowsPerSection
      leaf = self.leaf(after: some)
    }
    guard leaf == nil else { return }
    rankedSections = sections.count
    phase = .number
  }

  private func firstLeaf(of section: Section) -> Section? {
    var section = section
    while !isLeaf(section) {
      guard let first = section.sections.first else { return nil }
      section = first
    }
    return section
  }

  private func leaf(after leaf: Section) -> Section? {
    var section = leaf
    while let parent = section.parent {
      if let next = SectionList.next(after: section) { return firstLeaf(of: next) }
      section = parent
    }
    return nil
  }

  /// Replaces section indices in the entries by leaf indices, and chooses the key compression.
  private func number() {
    let end = min(entries.count, cursor + stepRows)
    let isGrouped = view.isGrouped
    var (least, greatest) = (leastKey, greatestKey)
    entries.withUnsafeMutableBufferPointer { entries in
      for index in cursor..<end {
        if isGrouped { entries[index].section = UInt32(sections[Int(entries[index].section)].place) }
        let key = entries[index].key
        guard key != .max else { continue }
        least = min(least, key)
        greatest = max(greatest, key)
      }
    }
    spent += end - cursor
    (leastKey, greatestKey, cursor) = (least, greatest, end)
    guard end == entries.count else { return }
    view.chooseCompressor(least <= greatest ? KeyCompressor(least: least, greatest: greatest) : KeyCompressor())
    (phase, cursor) = (.sort, 0)
  }

  private func sort() {
    let start = runs.last?.upperBound ?? 0
    let end = min(entries.count, start + max(1, stepRows / Self.rowsPerSorted))
    spent += (end - start) * Self.rowsPerSorted
    let (changed, comparator) = (changed, comparator)
    entries.withUnsafeMutableBufferPointer { all in
      var run = UnsafeMutableBufferPointer(rebasing: all[start..<end])
      run.sort { Self.precedes($0, $1, changed, comparator) }
    }
    if start < end { runs.append(start..<end) }
    guard end == entries.count else { return }
    heads = runs.map(\.lowerBound)
    phase = .merge
  }

  /// Returns whether `a` precedes `b`.
  ///
  /// The present values of changed rows must not be compared, so these rows come before all others
  /// with the same former key. They are left out later.
  @inline(__always)
  private static func precedes(_ a: Entry, _ b: Entry, _ changed: ChangedRows, _ comparator: RowComparator) -> Bool {
    if a.section != b.section { return a.section < b.section }
    if a.key != b.key { return a.key < b.key }
    if !changed.isEmpty {
      switch (changed.contains(a.slot), changed.contains(b.slot)) {
      case (false, false): break
      case (true, false): return true
      case (false, true): return false
      case (true, true): return a.slot < b.slot
      }
    }
    return comparator.precedes(a.slot, b.slot)
  }

  private func merge() {
    let (view, changed, comparator, leaves) = (view, changed, comparator, leaves)
    let compressor = view.compressor
    var heads = heads
    let runs = runs
    entries.withUnsafeBufferPointer { entries in
      func skipChanged(_ run: Int) {
        while heads[run] < runs[run].upperBound && changed.contains(entries[heads[run]].slot) { heads[run] += 1 }
      }
      func precedes(_ a: Int, _ b: Int) -> Bool {
        Self.precedes(entries[heads[a]], entries[heads[b]], changed, comparator)
      }
      // Head rows may have changed since the last step, so the heap is rebuilt.
      for run in runs.indices { skipChanged(run) }
      var heap = runs.indices.filter { heads[$0] < runs[$0].upperBound }
      for root in (0..<heap.count / 2).reversed() { siftDown(&heap, root, precedes) }
      var left = max(1, stepRows / Self.rowsPerSorted)
      // Consecutive rows of one section are appended together.
      var (rows, leaf) = ([UInt64](), 0)
      rows.reserveCapacity(left)
      while left > 0, let run = heap.first {
        let entry = entries[heads[run]]
        if Int(entry.section) != leaf {
          if !rows.isEmpty { view.append(rows, to: leaves[leaf]) }
          rows.removeAll(keepingCapacity: true)
          leaf = Int(entry.section)
        }
        rows.append(UInt64(compressor.compress(entry.key)) << 32 | UInt64(entry.slot))
        heads[run] += 1
        skipChanged(run)
        if heads[run] == runs[run].upperBound {
          heap[0] = heap[heap.count - 1]
          heap.removeLast()
        }
        siftDown(&heap, 0, precedes)
        left -= 1
        spent += Self.rowsPerSorted
      }
      if !rows.isEmpty { view.append(rows, to: leaves[leaf]) }
      if heap.isEmpty { phase = .nest }
    }
    self.heads = heads
  }

  /// Counts the rows of sections whose order is complete.
  private func nest() {
    var left = stepRows
    while left > 0, cursor < sections.count {
      let section = sections[cursor]
      section.provisionalCount = nil
      if isLeaf(section) { view.finish(section) }
      left -= Self.rowsPerSection + section.rows / 64
      spent += Self.rowsPerSection + section.rows / 64
      cursor += 1
    }
    guard cursor == sections.count else { return }
    (phase, cursor) = (.announce, 0)
  }

  /// Updates the section headers, in steps because all of them at once could exceed a turn.
  ///
  /// Inner sections come first, because the first value of an outer one depends on their order.
  private func announce() {
    let end = min(sections.count, cursor + max(1, stepRows / Self.rowsPerSection))
    for index in cursor..<end {
      let section = sections[sections.count - 1 - index]
      if section.level >= 0 { view.announce(section) }
    }
    spent += (end - cursor) * Self.rowsPerSection
    cursor = end
    if cursor == sections.count { phase = .done }
  }

  @inline(__always)
  private func siftDown(_ heap: inout [Int], _ start: Int, _ precedes: (Int, Int) -> Bool) {
    var root = start
    while true {
      var least = root
      let left = 2 * root + 1
      if left < heap.count, precedes(heap[left], heap[least]) { least = left }
      if left + 1 < heap.count, precedes(heap[left + 1], heap[least]) { least = left + 1 }
      guard least != root else { return }
      heap.swapAt(root, least)
      root = least
    }
  }

  // MARK: The first window

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
      let gathered = view.isGrouped ? (index < rowsOfSection.count ? rowsOfSection[index] : 0) : gatheredRows
      section.provisionalCount = gathered + (late[section.number]?.count ?? 0)
    }
    for section in sections.reversed() {
      section.announcedCount = section.count
      section.parent?.provisionalCount? += section.count
    }
  }

  /// The number of gathered rows that have not changed since.
  private var gatheredRows: Int {
    guard !changed.isEmpty else { return entries.count }
    let changed = changed
    return entries.withUnsafeBufferPointer { $0.reduce(0) { $0 + (changed.contains($1.slot) ? 0 : 1) } }
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
    for (section, _, rows) in shown where rows > 0 { heaps[section.number] = BoundedHeap(limit: rows) }
    if !heaps.isEmpty { fill(&heaps, late: lateRows) }
    var selection: [ListView.Item] = []
    for (section, headers, _) in shown {
      for header in headers { selection.append(.header(header)) }
      let rows = heaps[section.number]?.sorted { comparator.precedes($0, $1) } ?? []
      selection.append(contentsOf: rows.map { .row($0) })
    }
    return selection
  }

  /// Finds the first rows of these sections, with their present values.
  private func fill(_ heaps: inout [UInt32: BoundedHeap], late: [UInt32: [UInt32]]) {
    let (entries, changed, comparator) = (entries, changed, comparator)
    if leaves.count == 1, var heap = heaps[leaves[0].number] {
      // The common case of one section avoids repeated accesses to the dictionary.
      for entry in entries where !changed.contains(entry.slot) {
        heap.offer(key: entry.key, slot: entry.slot) { comparator.precedes($0, $1) }
      }
      heaps[leaves[0].number] = heap
    } else {
      var wanted = heaps.keys.sorted().map { (number: $0, heap: heaps[$0] ?? BoundedHeap(limit: 0)) }
      let places = Dictionary(uniqueKeysWithValues: wanted.enumerated().map { ($1.number, UInt32($0)) })
      // During numbering, entries before the cursor have leaf indices, the others section indices.
      let numbered = phase == .number ? cursor : entries.count
      for (names, range) in [(leaves, 0..<numbered), (sections, numbered..<entries.count)] where !range.isEmpty {
        let heapOfName = names.map { places[$0.number] ?? .max }
        for entry in entries[range] where heapOfName[Int(entry.section)] != .max && !changed.contains(entry.slot) {
          wanted[Int(heapOfName[Int(entry.section)])].heap.offer(key: entry.key, slot: entry.slot) {
            comparator.precedes($0, $1)
          }
        }
      }
      for (number, heap) in wanted { heaps[number] = heap }
    }
    for (section, slots) in late where heaps[section] != nil {
      for slot in slots {
        heaps[section]?.offer(key: comparator.key(slot), slot: slot) { comparator.precedes($0, $1) }
      }
    }
  }
}
