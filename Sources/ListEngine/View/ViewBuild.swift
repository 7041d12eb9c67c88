/// Puts a view together in steps that each take a bounded time, so that a query on millions of rows holds up nobody.
///
/// First the rows that pass the filter are gathered with their sort keys. From these the first window is selected, as a top-N scan
/// does: whoever asked can look at it while the full order is sorted run by run and merged. Changes go on arriving meanwhile: a row
/// that changes is left out from then on, and put in its place at the end, when the view catches up.
final class ViewBuild {
  /// A row on its way into the order.
  private struct Entry {
    var key: UInt64
    var slot: UInt32
    /// Its section's index; after ``rank``, its place among those that have rows.
    var section: UInt32
  }

  private struct SectionKey: Hashable {
    var parent: UInt32
    var value: Cell
  }

  /// How many items the selection holds.
  static let selectionSize = 1024

  /// How many bytes a filter may look at in one step, for each row of the step: long texts make shorter steps.
  private static var filterWorkPerRow: Int { 128 }

  /// How many rows of a step a text's sort key stands for, when it has to be made.
  private static var rowsPerCollationKey: Int { 16 }

  private enum Phase {
    case gather, rank, sort, merge, done
  }

  private unowned let view: ListView
  private let table: Table
  private let comparator: RowComparator
  /// How many rows one step looks at; fewer when it sorts or merges them.
  private let stepRows: Int
  /// Where the table's log stood when the build began.
  let position: Int
  private var phase = Phase.gather
  private var next: UInt32 = 0
  private var entries: [Entry] = []
  /// All sections that were met, each behind the one it lies in: the first has all rows.
  private(set) var sections: [Section]
  /// Those that have rows, in order.
  private var leaves: [Section] = []
  /// How many sections were known then; what comes later comes by rows that changed.
  private var rankedSections = 0
  /// The index of a section by its parent's and its text's number in the column's pool, or its value.
  private var sectionOfText: [UInt64: UInt32] = [:]
  private var sectionOfValue: [SectionKey: UInt32] = [:]
  /// The rows that changed since the build began, and how far the log was read for it.
  private var changed = ChangedRows()
  private var logSeen: Int
  private var runs: [Range<Int>] = []
  private var heads: [Int] = []

  /// The first items as of ``selectedAt``, while the order is not ready.
  private(set) var selection: [ListView.Item] = []
  private(set) var selectedItems = 0
  private(set) var selectedRows = 0
  private var selectedAt = -1

  init(_ view: ListView, root: Section) {
    self.view = view
    table = view.table
    comparator = view.comparator
    stepRows = max(4, table.limits.stepRows)
    position = table.log.end
    logSeen = position
    sections = [root]
  }

  /// Whether the order is complete.
  var isDone: Bool { phase == .done }
  /// Whether all rows are gathered, so that a selection can be made.
  var canSelect: Bool { phase != .gather && phase != .rank }
  /// Whether the selection shows what is true now.
  var isSelectionCurrent: Bool { selectedAt == table.log.end }

  /// Does one step.
  func step() {
    noteChanges()
    switch phase {
    case .gather: gather()
    case .rank: rank()
    case .sort: sort()
    case .merge: merge()
    case .done: break
    }
  }

  // MARK: Changes meanwhile

  private func noteChanges() {
    for change in table.log.since(logSeen) where view.concerns(change) { changed.insert(change.slot) }
    logSeen = table.log.end
  }

  // MARK: Steps

  private func gather() {
    let end = min(table.slots, next + UInt32(stepRows))
    if next == 0 && !view.isFiltered { entries.reserveCapacity(table.count) }
    // Local while the loop runs: what lies in a class is looked after at every access.
    var entries: [Entry] = []
    swap(&entries, &self.entries)
    let (filter, table, changed, comparator) = (view.filter, table, changed, view.comparator)
    let (isFiltered, isGrouped) = (!filter.isEmpty, view.isGrouped)
    let greatestWork = filter.work + stepRows * Self.filterWorkPerRow
    let mostKeys = comparator.collationKeysMade + max(1, stepRows / Self.rowsPerCollationKey)
    var slot = next
    while slot < end && filter.work < greatestWork {
      if comparator.isCollated, comparator.collationKeysMade >= mostKeys { break }
      defer { slot += 1 }
      guard table.isAlive(slot) && !changed.contains(slot) else { continue }
      if isFiltered && !filter.lets(slot) { continue }
      // All of them here, so that sorting makes none.
      if comparator.isCollated { comparator.makeCollationKeys(slot) }
      entries.append(Entry(key: comparator.key(slot), slot: slot, section: isGrouped ? section(of: slot) : 0))
    }
    swap(&entries, &self.entries)
    next = slot
    if next == table.slots { phase = .rank }
  }

  /// The index of the section of the last column that a row belongs to.
  @inline(__always) private func section(of slot: UInt32) -> UInt32 {
    var section: UInt32 = 0
    for column in view.groups { section = self.section(of: slot, in: section, by: column) }
    return section
  }

  @inline(__always) private func section(of slot: UInt32, in parent: UInt32, by column: ColumnStore) -> UInt32 {
    // Equal texts have equal numbers as long as the pool shares them, and a text in use keeps its number.
    guard let text = column.sharedText(slot) else { return section(of: column.cell(slot), in: parent) }
    let key = UInt64(parent) << 32 | UInt64(text)
    if let known = sectionOfText[key] { return known }
    let section = section(of: column.cell(slot), in: parent)
    sectionOfText[key] = section
    return section
  }

  private func section(of value: Cell, in parent: UInt32) -> UInt32 {
    let key = SectionKey(parent: parent, value: value)
    if let known = sectionOfValue[key] { return known }
    let index = UInt32(sections.count)
    sections.append(view.makeSection(value, in: sections[Int(parent)]))
    sectionOfValue[key] = index
    return index
  }

  /// As ``section(of:)``, for a row that has changed: its text's number may be another text's by the next time.
  private func lateSection(of slot: UInt32) -> Section {
    var section: UInt32 = 0
    for column in view.groups { section = self.section(of: column.cell(slot), in: section) }
    return sections[Int(section)]
  }

  private func isLeaf(_ section: Section) -> Bool { section.level + 1 == view.groups.count }

  /// Puts the sections in order, and chooses how keys are compressed.
  private func rank() {
    let order = sections.indices.filter { isLeaf(sections[$0]) }.sorted { sections[$0].precedes(sections[$1]) }
    var places = [UInt32](repeating: 0, count: sections.count)
    for (place, section) in order.enumerated() { places[section] = UInt32(place) }
    leaves = order.map { sections[$0] }
    rankedSections = sections.count
    var least = UInt64.max
    var greatest: UInt64 = 0
    for index in entries.indices {
      entries[index].section = places[Int(entries[index].section)]
      let key = entries[index].key
      guard key != .max else { continue }
      least = min(least, key)
      greatest = max(greatest, key)
    }
    view.chooseCompressor(least <= greatest ? KeyCompressor(least: least, greatest: greatest) : KeyCompressor())
    phase = .sort
  }

  private func sort() {
    let start = runs.last?.upperBound ?? 0
    let end = min(entries.count, start + stepRows / 4)
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

  /// Whether `a` comes first. Rows that have changed are left out later: what they are now must not be looked at, so they stand
  /// before all others of the key that they had.
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
    var heads = heads
    let runs = runs
    entries.withUnsafeBufferPointer { entries in
      func skipChanged(_ run: Int) {
        while heads[run] < runs[run].upperBound && changed.contains(entries[heads[run]].slot) { heads[run] += 1 }
      }
      func precedes(_ a: Int, _ b: Int) -> Bool {
        Self.precedes(entries[heads[a]], entries[heads[b]], changed, comparator)
      }
      // Rows at the heads may have changed since the last step: the heap is made again from what is left.
      for run in runs.indices { skipChanged(run) }
      var heap = runs.indices.filter { heads[$0] < runs[$0].upperBound }
      for root in (0..<heap.count / 2).reversed() { siftDown(&heap, root, precedes) }
      var left = stepRows / 2
      while left > 0, let run = heap.first {
        let entry = entries[heads[run]]
        view.append(entry.slot, key: entry.key, to: leaves[Int(entry.section)])
        heads[run] += 1
        skipChanged(run)
        if heads[run] == runs[run].upperBound {
          heap[0] = heap[heap.count - 1]
          heap.removeLast()
        }
        siftDown(&heap, 0, precedes)
        left -= 1
      }
      if heap.isEmpty { phase = .done }
    }
    self.heads = heads
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

  /// Selects the first items as they are at this moment.
  ///
  /// - Complexity: O(rows), without sorting them.
  func select() {
    noteChanges()
    let (entries, changed) = (entries, changed)
    var counts = [Int](repeating: 0, count: leaves.count)
    for entry in entries where !changed.contains(entry.slot) { counts[Int(entry.section)] += 1 }
    // Rows that have changed are few: they are looked at as they are now, and may bring sections of their own.
    let late = Dictionary(grouping: changed.slots.filter { table.isAlive($0) && view.isShown($0) }) {
      lateSection(of: $0).number
    }
    count(leaves: counts, late: late)
    selectedRows = sections[0].count
    selectedItems = selectedRows + sections.count { $0.level >= 0 && $0.count > 0 }
    selection = []
    fillSelection(late: late)
    selectedAt = table.log.end
  }

  /// Tells every section how many rows it has now.
  private func count(leaves counts: [Int], late: [UInt32: [UInt32]]) {
    for section in sections { section.provisionalCount = 0 }
    for (leaf, count) in zip(leaves, counts) { leaf.provisionalCount = count }
    for section in sections { section.provisionalCount? += late[section.number]?.count ?? 0 }
    for section in sections.reversed() {
      section.announcedCount = section.count
      section.parent?.provisionalCount? += section.count
    }
  }

  private func fillSelection(late lateRows: [UInt32: [UInt32]]) {
    // Which sections reach into the selection, and how many rows of each.
    var shown: [(section: Section, headers: ArraySlice<Section>, rows: Int)] = []
    var size = 0
    var last: [Section] = []
    let late = sections[rankedSections...].filter { isLeaf($0) }
    let ordered = late.isEmpty ? leaves : (leaves + late).sorted { $0.precedes($1) }
    for section in ordered where section.count > 0 {
      let chain = section.chain
      let common = chain.indices.first { $0 >= last.count || chain[$0] !== last[$0] } ?? 0
      let headers = chain[common...].prefix(Self.selectionSize - size)
      size += headers.count
      let rows = min(section.count, Self.selectionSize - size)
      size += rows
      shown.append((section, headers, rows))
      last = chain
      guard size < Self.selectionSize else { break }
    }
    var heaps: [UInt32: BoundedHeap] = [:]
    for (section, _, rows) in shown where rows > 0 { heaps[section.number] = BoundedHeap(limit: rows) }
    fill(&heaps, late: lateRows)
    for (section, headers, _) in shown {
      for header in headers { selection.append(.header(header)) }
      let rows = heaps[section.number]?.sorted { comparator.precedes($0, $1) } ?? []
      selection.append(contentsOf: rows.map { .row($0) })
    }
  }

  /// Finds the first rows of these sections, as they are now.
  private func fill(_ heaps: inout [UInt32: BoundedHeap], late: [UInt32: [UInt32]]) {
    let (entries, changed, comparator) = (entries, changed, comparator)
    let isWanted = leaves.map { heaps[$0.number] != nil }
    if leaves.count == 1, var heap = heaps[leaves[0].number] {
      // The common case by itself: what lies in a list is looked after at every access.
      for entry in entries where !changed.contains(entry.slot) {
        heap.offer(key: entry.key, slot: entry.slot) { comparator.precedes($0, $1) }
      }
      heaps[leaves[0].number] = heap
    } else {
      var wanted = leaves.map { heaps[$0.number] ?? BoundedHeap(limit: 0) }
      for entry in entries where isWanted[Int(entry.section)] && !changed.contains(entry.slot) {
        wanted[Int(entry.section)].offer(key: entry.key, slot: entry.slot) { comparator.precedes($0, $1) }
      }
      for (place, leaf) in leaves.enumerated() where isWanted[place] { heaps[leaf.number] = wanted[place] }
    }
    for (section, slots) in late where heaps[section] != nil {
      for slot in slots {
        heaps[section]?.offer(key: comparator.key(slot), slot: slot) { comparator.precedes($0, $1) }
      }
    }
  }
}

/// The rows that changed while a view is put together.
private struct ChangedRows {
  private var bits: [UInt64] = []
  /// In the order in which they changed first.
  private(set) var slots: [UInt32] = []

  var isEmpty: Bool { slots.isEmpty }

  @inline(__always) func contains(_ slot: UInt32) -> Bool {
    let word = Int(slot) >> 6
    return word < bits.count && bits[word] & (1 << UInt64(slot & 63)) != 0
  }

  mutating func insert(_ slot: UInt32) {
    guard !contains(slot) else { return }
    let word = Int(slot) >> 6
    if word >= bits.count { bits.append(contentsOf: repeatElement(0, count: word + 1 - bits.count)) }
    bits[word] |= 1 << UInt64(slot & 63)
    slots.append(slot)
  }
}

/// Keeps the least of many rows: a heap with the greatest of those kept at its root.
private struct BoundedHeap {
  private let limit: Int
  private var rows: [(key: UInt64, slot: UInt32)] = []

  init(limit: Int) { self.limit = limit }

  /// - Complexity: O(1) for a row that is greater than all that are kept, O(log limit) otherwise.
  @inline(__always)
  mutating func offer(key: UInt64, slot: UInt32, _ precedes: (UInt32, UInt32) -> Bool) {
    if rows.count < limit {
      rows.append((key, slot))
      var child = rows.count - 1
      while child > 0, isLess(rows[(child - 1) / 2], rows[child], precedes) {
        rows.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
      return
    }
    guard key <= rows[0].key, isLess((key, slot), rows[0], precedes) else { return }
    rows[0] = (key, slot)
    var root = 0
    while true {
      var greatest = root
      let left = 2 * root + 1
      if left < rows.count, isLess(rows[greatest], rows[left], precedes) { greatest = left }
      if left + 1 < rows.count, isLess(rows[greatest], rows[left + 1], precedes) { greatest = left + 1 }
      guard greatest != root else { return }
      rows.swapAt(root, greatest)
      root = greatest
    }
  }

  func sorted(_ precedes: (UInt32, UInt32) -> Bool) -> [UInt32] {
    rows.sorted { isLess($0, $1, precedes) }.map(\.slot)
  }

  @inline(__always) private func isLess(
    _ a: (key: UInt64, slot: UInt32), _ b: (key: UInt64, slot: UInt32), _ precedes: (UInt32, UInt32) -> Bool
  ) -> Bool {
    a.key != b.key ? a.key < b.key : precedes(a.slot, b.slot)
  }
}
