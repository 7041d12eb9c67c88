/// The construction of a ``ListView`` in bounded steps, so that a query on millions of rows delays
/// no session.
///
/// First it gathers the rows that match the filter, and keeps the first ones, as a top-N scan does.
/// Clients can display these while the rows are distributed to their sections and sorted. Rows that
/// change meanwhile are left out, and the view inserts them when it catches up.
final class ViewBuild: Discardable {
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
  /// The cost of updating a header, with its aggregates.
  private static var rowsPerHeader: Int { 256 }

  /// A grouping column: the numbers of its texts, if rows share them, and the sections found last.
  private struct Level: BitwiseCopyable {
    let texts: Chunked<UInt32>?
    let recent: Chunked<UInt64>
  }

  private enum Phase {
    case gather, rank, distribute, sort, nest, announce, done
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
  /// The gathered rows, as a bit for each slot.
  private let gathered: UnsafeMutablePointer<UInt64>
  private let capacity: Int
  /// Whether every slot had a row when the build began; see ``Sieve/isDense``.
  private let isDense: Bool
  private var keys: BlockKeys
  /// The memory for the rows that a step reads.
  private let block = SlotBlock()
  private var firstRows = FirstRows()
  /// The sections found so far, each after its parent; the first one is the root.
  private var sections: [Section]
  /// The sections with rows, in order.
  private var leaves: [Section] = []
  /// The number of sections when they were ranked; later ones come from changed rows.
  private var rankedSections = 0
  /// The index of a section by its parent and its text's number in the column's pool, or by its
  /// value.
  private var sectionOfText: TextSections
  /// The parent and the section found last for each text, by the text's number, of each level.
  ///
  /// Most texts have one parent only, so that a build seldom searches ``sectionOfText``.
  private let recentSections: [Chunked<UInt64>]
  private var sectionOfValue: [SectionKey: UInt32] = [:]
  /// The section index of each gathered row, by slot; used only with grouping.
  private let sectionOfRow = Chunked<UInt32>(filler: .max)
  /// The number of gathered and unchanged rows of each section, by index.
  private var rowsOfSection = [0]
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
  /// The rows of the sections that wait to be sorted, and the sort of some of them.
  private var bins: SectionBins
  private let sorting: OrderSort

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
    recentSections = view.groups.map { _ in Chunked(filler: .max) }
    keys = BlockKeys(comparator, labels: table.labels)
    sorting = OrderSort(comparator: comparator, stepRows: stepRows)
    bins = SectionBins(binRows: OrderSort.pieceRows(stepRows: stepRows))
    // Rows that come later are changed rows.
    capacity = Int(table.slots)
    isDense = table.count == capacity
    let blockCount = (capacity + 63) / 64
    gathered = .allocate(capacity: blockCount)
    gathered.initialize(repeating: 0, count: blockCount)
    growFirstRows(&firstRows)
  }

  deinit {
    bins.deallocate()
    sectionOfRow.deallocate()
    for sections in recentSections { sections.deallocate() }
    keys.deallocate()
    block.deallocate()
    gathered.deallocate()
  }

  /// Frees up to `most` pieces of memory, and returns how many.
  ///
  /// The build must not be continued afterwards.
  func free(atMost most: Int) -> Int {
    var freed = sorting.free(atMost: most)
    freed += bins.free(atMost: most - freed)
    for memory in recentSections { freed += memory.shrink(atMost: most - freed) }
    return freed + sectionOfRow.shrink(atMost: most - freed)
  }

  /// Whether the order is complete.
  var isDone: Bool { phase == .done }
  /// Whether a selection can be made, because all rows are gathered.
  ///
  /// Aggregates are not known before the end, and so is an order by them.
  var canSelect: Bool {
    !hasExpensiveChanges && !isOrderedByAggregate && (phase == .distribute || phase == .sort)
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
    case .distribute: distribute()
    case .sort: sort()
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
    guard changed.insert(slot) else { return }
    guard slot < capacity, gathered[Int(slot) >> 6] & 1 << UInt64(slot & 63) != 0 else { return }
    rowsOfSection[view.isGrouped ? Int(sectionOfRow[slot]) : 0] -= 1
  }

  // MARK: Steps

  private func gather() {
    let end = min(UInt32(capacity), next + UInt32(stepRows))
    // Use local variables in the loop, because class properties are checked at every access.
    var known = TextSections(seed: 0)
    swap(&known, &sectionOfText)
    var rowCounts: [Int] = []
    swap(&rowCounts, &rowsOfSection)
    var firstRows = FirstRows()
    swap(&firstRows, &self.firstRows)
    let (filter, isGrouped, gathered, keys) = (view.filter, view.isGrouped, gathered, keys)
    let levels = zip(view.groups, recentSections).map { Level(texts: $0.sharedTexts, recent: $1) }
    let (start, workBefore, keysBefore, sectionsBefore) = (
      next, filter.work, comparator.collationKeysMade, sections.count
    )
    let sieve = Sieve(
      filter: filter, changed: changed, comparator: comparator, labels: table.labels, isDense: isDense)
    let greatestWork = filter.work + stepRows * Self.filterWorkPerRow
    let mostKeys = comparator.collationKeysMade + max(1, stepRows / Self.rowsPerCollationKey)
    let mostSections = sections.count + max(1, stepRows / Self.rowsPerSection)
    var (rows, least, greatest) = (block, leastKey, greatestKey)
    firstRows.remove(changed) { sieve.comparator.precedes($0, $1) }
    while next < end && filter.work < greatestWork && sections.count < mostSections {
      if sieve.comparator.isCollated, sieve.comparator.collationKeysMade >= mostKeys { break }
      next = sieve.find(&rows, from: next, to: min(end, (next | 63) + 1), work: greatestWork, collationKeys: mostKeys)
      if !rows.crossings.isEmpty { for (slot, time) in rows.crossings { view.noteCrossing(of: slot, at: time) } }
      guard rows.count > 0 else { continue }
      sieve.checkInvariants(rows)
      if isGrouped { findSections(rows, levels, &known, &rowCounts) } else { rowCounts[0] += rows.count }
      keys.read(rows)
      gathered[Int(rows.base) >> 6] |= rows.mask
      var leastOfBlock = UInt64.max
      for place in 0..<rows.count {
        let key = rows.keys[place]
        leastOfBlock = min(leastOfBlock, key)
        greatest = max(greatest, key == .max ? 0 : key)
      }
      least = min(least, leastOfBlock)
      if isGrouped { growFirstRows(&firstRows) }
      guard isGrouped || !firstRows.excludes(leastOfBlock, from: 0) else { continue }
      firstRows.offer(rows) { sieve.comparator.precedes($0, $1) }
    }
    swap(&known, &sectionOfText)
    swap(&rowCounts, &rowsOfSection)
    swap(&firstRows, &self.firstRows)
    (leastKey, greatestKey) = (least, greatest)
    spent += Int(next - start) + (filter.work - workBefore) / Self.filterWorkPerRow
    spent += (comparator.collationKeysMade - keysBefore) * Self.rowsPerCollationKey
    spent += (sections.count - sectionsBefore) * Self.rowsPerSection
    if Int(next) == capacity { chooseBins() }
  }

  private func chooseBins() {
    if leastKey > greatestKey { (leastKey, greatestKey) = (.max, .max) }
    let compressor =
      leastKey < .max ? KeyCompressor(least: leastKey, greatest: greatestKey) : KeyCompressor()
    view.chooseCompressor(compressor)
    bins.keys = compressor.compress(leastKey)...compressor.compress(greatestKey)
    phase = .rank
  }

  /// Makes room for the first rows of the sections found so far.
  @inline(__always) private func growFirstRows(_ firstRows: inout FirstRows) {
    guard firstRows.sectionCount < sections.count else { return }
    let sections = sections
    while firstRows.sectionCount < sections.count {
      if !isLeaf(sections[firstRows.sectionCount]) {
        firstRows.addSectionWithoutRows()
      } else {
        firstRows.addSection(before: view.query.ranksSections ? nil : { sections[$0].precedes(sections[$1]) })
      }
    }
  }

  /// Finds or adds the sections of these rows, column by column, and counts the rows in them.
  @inline(__always) private func findSections(
    _ rows: SlotBlock, _ levels: [Level], _ known: inout TextSections, _ rowCounts: inout [Int]
  ) {
    // Equal texts have equal numbers while the pool shares them, and a text in use keeps its
    // number.
    rows.sections.update(repeating: 0, count: rows.count)
    for level in levels.indices {
      guard let texts = levels[level].texts?.pointer(rows.base) else {
        let column = view.groups[level]  // to read it for each row costs 40 ns
        for place in 0..<rows.count { rows.sections[place] = section(of: rows, at: place, column) }
        continue
      }
      var recent = levels[level].recent.elements
      for place in 0..<rows.count {
        let (text, parent) = (texts[Int(rows.slots[place] - rows.base)], rows.sections[place])
        let entry = text < recent.count ? recent.pointer(text).pointee : .max
        if entry >> 32 == parent {
          rows.sections[place] = UInt32(truncatingIfNeeded: entry)
        } else {
          rows.sections[place] = findSection(of: text, rows, at: place, level, &known)
          recent = levels[level].recent.elements
        }
      }
    }
    let end = Int(rows.slots[rows.count - 1]) + 1
    if end > sectionOfRow.count { sectionOfRow.grow(to: end) }
    while rowCounts.count < sections.count { rowCounts.append(0) }
    let sectionOfRow = sectionOfRow.pointer(rows.base)
    rowCounts.withUnsafeMutableBufferPointer { rowCounts in
      let rowCounts = rowCounts.baseAddress.unsafelyUnwrapped
      for place in 0..<rows.count {
        sectionOfRow[Int(rows.slots[place] - rows.base)] = rows.sections[place]
        rowCounts[Int(rows.sections[place])] += 1
      }
    }
  }

  /// Returns the section of a row, given by its place in a block, in the section found before.
  private func section(of rows: SlotBlock, at place: Int, _ column: GroupColumn) -> UInt32 {
    section(of: column.section(of: rows.slots[place]), in: rows.sections[place])
  }

  /// Returns the section of a row with another text than the last one in the section found before.
  private func findSection(
    of text: UInt32, _ rows: SlotBlock, at place: Int, _ level: Int, _ known: inout TextSections
  ) -> UInt32 {
    guard text != TextPool.none else { return section(of: rows, at: place, view.groups[level]) }
    let (parent, recent) = (rows.sections[place], recentSections[level])
    let found: UInt32
    if let section = known.section(of: text, in: parent) {
      found = section
    } else {
      found = section(of: rows, at: place, view.groups[level])
      known.note(found, of: text, in: parent)
    }
    recent.grow(toward: Int(text) + 1)
    if text < recent.count { recent[text] = UInt64(parent) << 32 | UInt64(found) }
    return found
  }

  private func section(of value: Cell, in parent: UInt32) -> UInt32 {
    let key = SectionKey(parent: parent, value: value)
    if let known = sectionOfValue[key] { return known }
    let index = UInt32(sections.count)
    let section = view.addSection(value, to: sections[Int(parent)])
    section.place = sections.count
    sections.append(section)
    sectionOfValue[key] = index
    return index
  }

  /// Returns the section of a changed row.
  ///
  /// It is found by values because the number of a text may be reused.
  private func lateSection(of slot: UInt32) -> Section {
    var section: UInt32 = 0
    for column in view.groups { section = self.section(of: column.section(of: slot), in: section) }
    return sections[Int(section)]
  }

  private func isLeaf(_ section: Section) -> Bool { section.level + 1 == view.groups.count }

  /// Collects the sections with rows, in order.
  private func rank() {
    var leaf = leaves.last.map(self.leaf(after:)) ?? firstLeaf(of: sections[0])
    var left = max(1, stepRows / Self.rowsPerSection)
    while let some = leaf, left > 0 {
      bins.add(UInt32(some.place), rows: rowsOfSection[some.place])
      leaves.append(some)
      left -= 1
      spent += Self.rowsPerSection
      leaf = self.leaf(after: some)
    }
    guard leaf == nil else { return }
    rankedSections = sections.count
    (phase, cursor) = (.distribute, 0)
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

  /// Puts the gathered rows into the bins of their sections.
  private func distribute() {
    let blockCount = (capacity + 63) / 64
    let (isGrouped, bins, changed, compressor) = (view.isGrouped, bins, changed, view.compressor)
    let (gathered, keys, sectionOfRow) = (gathered, keys, sectionOfRow)
    var rows = block
    let limit = spent + stepRows
    while cursor < blockCount, spent < limit {
      let base = UInt32(cursor) << 6
      rows.set(base: base, mask: gathered[cursor] & ~changed.word(of: base))
      keys.read(rows)
      for place in 0..<rows.count {
        let slot = rows.slots[place]
        bins.append(slot, key: compressor.compress(rows.keys[place]), to: isGrouped ? sectionOfRow[slot] : 0)
      }
      spent += 1 + rows.count
      cursor += 1
    }
    if cursor == blockCount, view.hasRoomForRows { (phase, cursor) = (.sort, 0) }
  }

  /// Sorts the rows of the sections, one bin after another.
  private func sort() {
    // A piece of the sort can take half a step more.
    let limit = spent + max(1, stepRows / 2)
    while spent < limit {
      if sorting.isDone {
        guard cursor < leaves.count else {
          (phase, cursor) = (.nest, 0)
          return
        }
        if let bin = bins.takeNext(of: UInt32(leaves[cursor].place)) { sorting.begin(bin) } else { cursor += 1 }
      }
      let before = sorting.spent
      sorting.step(atMost: limit - spent, except: changed) { [view, leaves, cursor] in
        view.append($0, to: leaves[cursor])
      }
      spent += sorting.spent - before + 8
    }
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
    let end = min(sections.count, cursor + max(1, stepRows / Self.rowsPerHeader))
    for index in cursor..<end {
      let section = sections[sections.count - 1 - index]
      if section.level >= 0 { view.announce(section) }
    }
    spent += (end - cursor) * Self.rowsPerHeader
    cursor = end
    if cursor == sections.count { phase = .done }
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
