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
    /// Its section's number in the order of discovery; after ``rank``, its place.
    var section: UInt32
  }

  /// How many items the selection holds.
  static let selectionSize = 1024

  /// How many bytes a filter may look at in one step, for each row of the step: long texts make shorter steps.
  private static var filterWorkPerRow: Int { 128 }

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
  private(set) var sections: [Section] = []
  private var sectionOfText: [UInt32: UInt32] = [:]
  private var sectionOfValue: [Cell: UInt32] = [:]
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

  init(_ view: ListView) {
    self.view = view
    table = view.table
    comparator = view.comparator
    stepRows = max(4, table.limits.stepRows)
    position = table.log.end
    logSeen = position
    if !view.isGrouped { sections = [view.makeSection(.null)] }
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
    var slot = next
    while slot < end && filter.work < greatestWork {
      defer { slot += 1 }
      guard table.isAlive(slot) && !changed.contains(slot) else { continue }
      if isFiltered && !filter.lets(slot) { continue }
      entries.append(Entry(key: comparator.key(slot), slot: slot, section: isGrouped ? section(of: slot) : 0))
    }
    swap(&entries, &self.entries)
    next = slot
    if next == table.slots { phase = .rank }
  }

  @inline(__always) private func section(of slot: UInt32) -> UInt32 {
    guard let group = view.groupColumn else { return 0 }
    // Equal texts have equal numbers as long as the pool shares them, and a text in use keeps its number.
    if let text = group.sharedText(slot) {
      if let known = sectionOfText[text] { return known }
      let section = section(of: group.cell(slot))
      sectionOfText[text] = section
      return section
    }
    return section(of: group.cell(slot))
  }

  private func section(of value: Cell) -> UInt32 {
    if let known = sectionOfValue[value] { return known }
    let number = UInt32(sections.count)
    sections.append(view.makeSection(value))
    sectionOfValue[value] = number
    return number
  }

  /// Puts the sections in order, and chooses how keys are compressed.
  private func rank() {
    let order = sections.indices.sorted { ListView.precedes(sections[$0].value, sections[$1].value) }
    var places = [UInt32](repeating: 0, count: sections.count)
    for (place, section) in order.enumerated() { places[section] = UInt32(place) }
    sections = order.map { sections[$0] }
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
    let (view, changed, comparator, sections) = (view, changed, comparator, sections)
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
        view.append(entry.slot, key: entry.key, to: sections[Int(entry.section)])
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
    var counts = [Int](repeating: 0, count: sections.count)
    for entry in entries where !changed.contains(entry.slot) { counts[Int(entry.section)] += 1 }
    // Rows that have changed are few: they are looked at as they are now, and may bring sections of their own.
    let late = changed.slots.filter { table.isAlive($0) && view.isShown($0) }
    let lateSections = Dictionary(grouping: late) { view.groupColumn?.cell($0) ?? .null }
    var shown = zip(sections, counts).map { (section: $0, count: $1 + (lateSections[$0.value]?.count ?? 0)) }
    let known = Set(sections.map(\.value))
    // In order: which numbers new sections get must not depend on a dictionary's order.
    for value in lateSections.keys.sorted(by: ListView.precedes) where !known.contains(value) {
      shown.append((view.makeSection(value), lateSections[value]?.count ?? 0))
    }
    if view.isGrouped {
      shown.removeAll { $0.count == 0 }
      shown.sort { ListView.precedes($0.section.value, $1.section.value) }
    }
    selectedRows = shown.reduce(0) { $0 + $1.count }
    selectedItems = selectedRows + (view.isGrouped ? shown.count : 0)
    selection = []
    let numbers = Dictionary(uniqueKeysWithValues: sections.enumerated().map { ($1.number, UInt32($0)) })
    for (section, count) in shown {
      guard selection.count < Self.selectionSize else { break }
      section.provisionalCount = count
      section.announcedCount = count
      if view.isGrouped { selection.append(.header(section)) }
      let rows = first(
        Self.selectionSize - selection.count, of: numbers[section.number], late: lateSections[section.value] ?? [])
      selection.append(contentsOf: rows.map { .row($0) })
    }
    selectedAt = table.log.end
  }

  /// The first rows of a section, in order: the least of those gathered by a bounded heap, and those that have changed.
  private func first(_ limit: Int, of section: UInt32?, late: [UInt32]) -> [UInt32] {
    guard limit > 0 else { return [] }
    let (entries, changed, comparator) = (entries, changed, comparator)
    var least = BoundedHeap(limit: limit)
    if let section {
      for entry in entries where entry.section == section && !changed.contains(entry.slot) {
        least.offer(key: entry.key, slot: entry.slot) { comparator.precedes($0, $1) }
      }
    }
    for slot in late { least.offer(key: comparator.key(slot), slot: slot) { comparator.precedes($0, $1) } }
    return least.sorted { comparator.precedes($0, $1) }
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
