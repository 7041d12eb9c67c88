/// The rows of a view that have one value in common, or all of them when the query does not group.
final class Section {
  /// Names it as long as its view exists.
  let number: UInt32
  /// What its rows have in common.
  let value: Cell
  /// Its rows.
  var order = RowOrder()
  /// Its place among the sections.
  var place = 0
  /// Changes whenever its header shows something else.
  var revision: UInt32 = 1
  /// How many rows it has, while its order is being put together.
  var provisionalCount: Int?
  /// How many rows it has.
  var count: Int { provisionalCount ?? order.count }
  /// How many rows its header said it has.
  var announcedCount = 0
  /// Whether rows came or went since the header was looked at.
  var isTouched = false

  init(number: UInt32, value: Cell) {
    self.number = number
    self.value = value
  }
}

/// A table as one query shows it; shared by all sessions with an equal query.
///
/// It is put together step by step (``ViewBuild``), and then catches up with its table when someone looks: k changed rows cost O(k log n). First all rows that may stand wrong are taken
/// out, then each is put where it belongs, so that a search never meets a row that is out of place.
final class ListView {
  let table: Table
  let query: Query
  let comparator: RowComparator
  let filter: RowFilter
  private let group: ColumnStore?
  /// The columns whose change may move a row; see ``ChangeLog/Entry/columns``.
  private let interest: UInt64
  private var compressor = KeyCompressor()
  private var pool = ChunkPool()
  /// In order; without grouping there is exactly one.
  private var sections: [Section] = []
  private var sectionOfValue: [Cell: Section] = [:]
  /// Rows plus one header for each section.
  private var ranks = Fenwick()
  private var nextSection: UInt32 = 1
  private var relabelings = 0
  /// How far it has read the table's log.
  private(set) var position = 0
  /// How many sessions look at it.
  var viewers = 0
  /// When the last session left it.
  var unwatchedSince: Instant?
  /// Which of the views without sessions lost its last one first.
  var leaving = 0

  /// What puts it together, until that is done.
  private(set) var build: ViewBuild?
  /// The sections that had a number before the view was put together again: they keep it.
  private var formerSections: [Cell: Section] = [:]

  /// A view that is put together by ``work()``; at once when the table is small.
  init(_ query: Query, table: Table) {
    self.table = table
    self.query = query
    comparator = RowComparator(query, table: table)
    filter = RowFilter(query, table: table)
    group = query.group.first.map { table.columns[$0] }
    var interest = filter.interest
    for term in query.sort { interest |= 1 << UInt64(term.column & 63) }
    for column in query.group { interest |= 1 << UInt64(column & 63) }
    self.interest = interest
    startBuild()
  }

  // MARK: Reading

  /// Whether sections have headers.
  var isGrouped: Bool { group != nil }
  /// How many rows it shows.
  var rowCount: Int { build?.selectedRows ?? (isGrouped ? ranks.total - sections.count : sections[0].order.count) }
  /// How many items it shows: rows and headers.
  var itemCount: Int { build?.selectedItems ?? ranks.total }

  /// Whether it shows this row.
  func contains(_ slot: UInt32) -> Bool { pool.chunk(of: slot) != nil }

  /// The position of a row among the items.
  ///
  /// - Complexity: O(log n).
  func position(of slot: UInt32) -> Int? {
    guard let chunk = pool.chunk(of: slot) else { return nil }
    let section = chunk.section
    return ranks.sum(before: section.place) + (isGrouped ? 1 : 0) + section.order.rank(of: slot, in: chunk)
  }

  /// An item as the view knows it.
  enum Item {
    case row(UInt32)
    case header(Section)
  }

  /// The items of a range of positions, in order.
  ///
  /// - Complexity: O(log n + count).
  func items(_ range: Range<Int>) -> [Item] {
    if let build { return Array(build.selection[range]) }
    var items: [Item] = []
    guard !range.isEmpty else { return items }
    items.reserveCapacity(range.count)
    var (place, rest) = ranks.find(range.lowerBound)
    while items.count < range.count {
      let section = sections[place]
      if isGrouped {
        if rest == 0 { items.append(.header(section)) } else { rest -= 1 }
      }
      section.order.forEach(from: rest, count: range.count - items.count) { items.append(.row($0)) }
      place += 1
      rest = 0
    }
    return items
  }

  /// The section in which the item at this position lies, if that is a row below a header.
  func section(above position: Int) -> Section? {
    guard isGrouped, position < itemCount else { return nil }
    if let build { return section(above: position, in: build.selection) }
    let (place, rest) = ranks.find(position)
    return rest == 0 ? nil : sections[place]
  }

  private func section(above position: Int, in items: [Item]) -> Section? {
    guard case .row = items[position] else { return nil }
    for item in items[..<position].reversed() { if case .header(let section) = item { return section } }
    return nil
  }

  /// Whether the section with this number and value still exists.
  func hasSection(_ number: UInt32, value: Cell) -> Bool { sectionOfValue[value]?.number == number }

  /// Whether nothing that decides a row's place differs from what it was in this snapshot.
  func keepsPlace(_ slot: UInt32, since snapshot: RowSnapshot, relabelings: Int) -> Bool {
    guard contains(slot) else { return false }
    if relabelings == table.relabelings && table.labels[slot] != snapshot.label { return false }
    for term in query.sort where table.columns[term.column].cell(slot) != snapshot.cells[term.column] { return false }
    for column in query.group where table.columns[column].cell(slot) != snapshot.cells[column] { return false }
    return true
  }

  // MARK: Catching up

  /// Takes over what has changed in the table since the last time.
  ///
  /// - Complexity: O(k log n) for k changed rows; O(n log n) when most rows have changed.
  func catchUp() {
    guard build == nil else { return }
    guard relabelings == table.relabelings else { return startBuild() }
    guard position < table.log.end else { return }
    let changes = table.log.since(position)
    if changes.count > 4096 && changes.count * 3 > table.count { return startBuild() }
    pool.home.grow(to: Int(table.slots))
    apply(changes)
    position = table.log.end
    checkInvariants()
  }

  private func apply(_ changes: ArraySlice<ChangeLog.Entry>) {
    var waiting: [UInt32] = []
    for change in changes where concerns(change) {
      waiting.append(change.slot)
      if let chunk = pool.chunk(of: change.slot) { remove(change.slot, from: chunk) }
    }
    for slot in waiting where table.isAlive(slot) && !contains(slot) && isShown(slot) {
      let section = section(for: slot)
      section.order.insert(
        slot, key: compressor.compress(comparator.key(slot)), section: section, pool: pool, comparator: comparator)
      touch(section)
      ranks.add(1, at: section.place)
    }
    announceSections()
  }

  /// The sections that rows came into or went out of.
  private var touched: [Section] = []

  private func touch(_ section: Section) {
    guard isGrouped, !section.isTouched else { return }
    section.isTouched = true
    touched.append(section)
  }

  private func remove(_ slot: UInt32, from chunk: Chunk) {
    let section = chunk.section
    section.order.remove(slot, from: chunk, pool: pool)
    touch(section)
    ranks.add(-1, at: section.place)
  }

  /// Whether the query's filter lets the row through.
  @inline(__always) func isShown(_ slot: UInt32) -> Bool { filter.lets(slot) }

  // MARK: Sections

  private func section(for slot: UInt32) -> Section {
    guard let group else { return sections[0] }
    let value = group.cell(slot)
    if let known = sectionOfValue[value] { return known }
    let section = makeSection(value)
    sectionOfValue[value] = section
    var low = 0
    var high = sections.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(sections[middle].value, value) { low = middle + 1 } else { high = middle }
    }
    sections.insert(section, at: low)
    rebuildSections()
    return section
  }

  /// Gives changed headers a new revision, and drops sections without rows.
  private func announceSections() {
    var isAnyEmpty = false
    for section in touched {
      section.isTouched = false
      if section.order.count != section.announcedCount { section.revision &+= 1 }
      section.announcedCount = section.order.count
      guard section.order.count == 0 else { continue }
      isAnyEmpty = true
      sectionOfValue[section.value] = nil
    }
    touched.removeAll(keepingCapacity: true)
    guard isAnyEmpty else { return }
    sections.removeAll { $0.order.count == 0 }
    rebuildSections()
  }

  private func rebuildSections() {
    for (place, section) in sections.enumerated() { section.place = place }
    ranks = Fenwick(sections.lazy.map { $0.order.count + (self.isGrouped ? 1 : 0) })
  }

  /// The order of sections: by value, ascending, empty last.
  static func precedes(_ a: Cell, _ b: Cell) -> Bool {
    switch (a, b) {
    case (.null, _): false
    case (_, .null): true
    case (.integer(let x), .integer(let y)), (.timestamp(let x), .timestamp(let y)): x < y
    case (.number(let x), .number(let y)): x < y
    case (.boolean(let x), .boolean(let y)): !x && y
    case (.text(let x), .text(let y)), (.image(let x), .image(let y)): x.utf8.lexicographicallyPrecedes(y.utf8)
    case (.series(let x), .series(let y)): x.lexicographicallyPrecedes(y)
    default: preconditionFailure("a column holds both \(a) and \(b)")
    }
  }

  // MARK: From nothing

  private func startBuild() {
    pool = ChunkPool()
    touched = []
    formerSections = sectionOfValue
    sectionOfValue = [:]
    sections = []
    relabelings = table.relabelings
    build = ViewBuild(self)
    guard table.slots <= table.limits.stepRows / 4 else { return }
    while build != nil { work() }
  }

  /// Whether the first items can be shown before the order is complete.
  var canShowFirstItems: Bool { (build?.canSelect ?? true) && relabelings == table.relabelings }

  /// Does one bounded step of putting the view together.
  func work() {
    guard let build else { return }
    // Keys that were gathered may be worthless now.
    guard relabelings == table.relabelings else { return startBuild() }
    pool.home.grow(to: Int(table.slots))
    build.step()
    guard build.isDone else { return }
    self.build = nil
    sections = build.sections
    for section in sections {
      section.provisionalCount = nil
      section.order.finish()
      if isGrouped { sectionOfValue[section.value] = section }
      touch(section)
    }
    rebuildSections()
    // What changed meanwhile, and was left out.
    apply(table.log.since(build.position))
    position = table.log.end
    formerSections = [:]
    checkInvariants()
  }

  /// A section for this value; with the number that it had, if the view had one before.
  func makeSection(_ value: Cell) -> Section {
    let former = formerSections[value]
    let section = Section(number: former?.number ?? nextSection, value: value)
    if former == nil { nextSection += 1 }
    section.revision = (former?.revision ?? 0) &+ 1
    formerSections[value] = section
    return section
  }

  /// Whether a change may put a row in, out, or elsewhere.
  func concerns(_ change: ChangeLog.Entry) -> Bool {
    change.columns & interest != 0 || change.columns == ChangeLog.everything
  }

  /// For ``ViewBuild``: whether the query leaves rows out.
  var isFiltered: Bool { !filter.isEmpty }
  /// For ``ViewBuild``: what the query groups by.
  var groupColumn: ColumnStore? { group }
  /// For ``ViewBuild``: how keys are compressed from now on.
  func chooseCompressor(_ compressor: KeyCompressor) { self.compressor = compressor }
  /// For ``ViewBuild``: puts a row at the end of a section.
  func append(_ slot: UInt32, key: UInt64, to section: Section) {
    section.order.append(slot, key: compressor.compress(key), section: section, pool: pool)
  }

  /// Sections are in order and counted; every row that should be shown is, once, in its section.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var shown = 0
      for (place, section) in sections.enumerated() {
        precondition(section.place == place, "section \(section.number) is misplaced")
        precondition(!isGrouped || section.order.count > 0, "section \(section.number) is empty")
        precondition(
          ranks.sum(before: place + 1) - ranks.sum(before: place) == section.order.count + (isGrouped ? 1 : 0),
          "section \(section.number) is miscounted")
        section.order.checkInvariants(pool: pool, comparator: comparator)
        shown += section.order.count
      }
      var wanted = 0
      for slot in 0..<table.slots where table.isAlive(slot) && isShown(slot) {
        wanted += 1
        precondition(contains(slot), "slot \(slot) is not shown")
      }
      precondition(shown == wanted, "\(shown) rows are shown, \(wanted) should be")
    #endif
  }
}
