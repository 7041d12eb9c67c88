/// A table as one query shows it; shared by all sessions with an equal query.
///
/// It is put together step by step (``ViewBuild``), and then catches up with its table when someone looks: k changed rows cost O(k log n). First all rows that may stand wrong are taken
/// out, then each is put where it belongs, so that a search never meets a row that is out of place.
final class ListView: QueryView {
  let table: Table
  let query: Query
  let comparator: RowComparator
  let filter: RowFilter
  /// The columns to group by, the outermost sections' first.
  let groups: [ColumnStore]
  /// The columns whose change may move a row; see ``ChangeLog/Entry/columns``.
  private let interest: UInt64
  /// What the query asks of each section; `nil` when it asks nothing.
  private var aggregation: Aggregation?
  private(set) var compressor = KeyCompressor()
  private var pool = ChunkPool()
  /// All rows; without grouping there is no other section.
  private var root = Section(number: 0, level: -1, value: .null, parent: nil)
  private var sectionOfNumber: [UInt32: Section] = [:]
  var sectionNumbers = CircularNumber(from: 1)
  private var relabelings = 0
  private var foldings = Foldings()
  /// How often a section's header was looked at, to say what is in its section.
  private(set) var announcements = 0
  /// How much it has done to catch up: rows taken out or put in, and a little for each change that it has read.
  private(set) var workDone = 0
  /// The work of all its builds so far; see ``ViewBuild/spent``.
  private(set) var buildWork = 0
  /// How many changes it has not taken over.
  var backlog: Int { table.log.end - logPosition }
  /// Counts how often items came, went or moved: what was derived from their positions is worthless then.
  private(set) var version = 0
  /// The same for sections.
  private(set) var structure = 0
  /// How far it has read the table's log.
  private(set) var position = 0
  /// In how many slices it has been catching up, and how many may be of equal size.
  private var slices = 0
  private static var patientSlices: Int { 8 }
  /// The work of a filter that costs as much as taking out a row or putting it in.
  private static var filterWorkPerRow: Int { 1_024 }
  /// The filter's work that finding the touched rows may cost when an order is given up.
  private static var touchWork: Int { 1 << 20 }
  /// The work of a build that is done at once, for each row of a step.
  static var workAtOnce: Int { 5 }
  /// How far it had when everything was where it belongs.
  private var settledPosition = 0
  /// Rows that were taken out because they changed, or that are new: they are yet to be put in, if they are shown at all.
  private var displaced: [UInt32] = []
  /// Whether it has not caught up the last time because its filter had no work left.
  private(set) var isHeldUpByFilter = false
  /// The number of turns at whose end it lacked more changes than its table's limit, one after the other.
  var turnsBehind = 0
  /// How many sessions look at it.
  var viewers = 0
  /// When the last session left it.
  var unwatchedSince: Instant?
  /// Which of the views without sessions lost its last one first.
  var leaving = 0
  /// Counts for pages that pause; `nil` when none does.
  private(set) var touches: Touches?
  /// While the view is put together again and somebody counts: which rows it had.
  private var formerPool: ChunkPool?
  /// The same when nobody knows which rows it had, as counting began later: from this position of the log on every change counts.
  private var countsAllFrom = Int.max

  /// What puts it together, until that is done.
  private(set) var build: ViewBuild?
  /// The sections that had a number before the view was put together again: they keep it.
  private var formerSections: [[Cell]: (number: UInt32, revision: UInt32)] = [:]

  /// A view that is put together by ``work()``; at once when the table is small, and so far as `rows` goes: see ``ViewBuild/spent``.
  init(_ query: Query, table: Table, atMost rows: Int? = nil) {
    self.table = table
    self.query = query
    comparator = RowComparator(query, table: table)
    filter = RowFilter(query, table: table)
    groups = query.group.map { table.columns[$0] }
    var interest = filter.interest
    for term in query.sort { interest |= 1 << UInt64(term.column & 63) }
    for column in query.group { interest |= 1 << UInt64(column & 63) }
    self.interest = interest
    startBuild(atMost: rows)
  }

  /// The bytes of one row in an order, and of the table that finds it there; more while it is put together.
  static let bytesPerRow = 16
  /// About how many bytes it takes. While it is put together, as many as if it had all rows.
  var bytes: Int { (build == nil ? root.rows : table.count) * Self.bytesPerRow }

  // MARK: Reading

  /// How many rows it shows.
  var rowCount: Int { build?.selectedRows ?? root.rows }
  /// How many items it shows: rows and headers. While it is put together that is known to its ``FoldedView``s only.
  var itemCount: Int { root.items }

  /// What the query asks of a section, in the order of the query; empty cells while the view is being put together.
  func aggregates(of section: Section) -> [Cell] {
    section.aggregates.isEmpty ? aggregation?.nothing ?? [] : section.aggregates
  }

  /// What the query asks of all rows.
  var totals: [Cell] { aggregates(of: root) }

  /// Whether it shows this row.
  func contains(_ slot: UInt32) -> Bool { pool.has(slot) }

  /// The position of a row among the items; `nil` as well while the order is being put together.
  ///
  /// - Complexity: O(log n).
  func position(of slot: UInt32) -> Int? {
    guard build == nil, let chunk = pool.chunk(of: slot) else { return nil }
    return start(of: chunk.section) + chunk.section.order.rank(of: slot, in: chunk)
  }

  /// The position of a section's header; `nil` as well while the order is being put together.
  ///
  /// - Complexity: O(log n).
  func position(of section: Section) -> Int? { build == nil ? start(of: section) - 1 : nil }

  /// The section with this number, if it still exists.
  func section(numbered number: UInt32) -> Section? { sectionOfNumber[number] }

  /// The section with these values, from the outermost section's to its own.
  ///
  /// - Complexity: O(log sections) for each of them.
  func section(at path: [Cell]) -> Section? {
    var section: Section? = root
    for (value, column) in zip(path, groups) {
      section = section?.sections.section(value, column.collationKey(of: value))
    }
    return path.count <= groups.count ? section : nil
  }

  /// The view as pages see it that have collapsed these sections: one for all that have collapsed the same.
  func folded(_ collapsed: Set<[Cell]>) -> FoldedView { foldings.folded(self, collapsed) }

  /// The position of a section's first item after its header.
  private func start(of section: Section) -> Int {
    var position = 0
    var section = section
    while let parent = section.parent {
      position += SectionList.items(before: section) + 1
      section = parent
    }
    return position
  }

  /// An item as the view knows it.
  enum Item {
    case row(UInt32)
    case header(Section)
    /// A row that its source has not given yet; only in a ``WindowedView``.
    case absent(AbsentRow)
  }

  /// The items of a range of positions, in order.
  ///
  /// - Complexity: O(log n + count).
  func items(_ range: Range<Int>) -> [Item] {
    var items: [Item] = []
    guard !range.isEmpty else { return items }
    items.reserveCapacity(range.count)
    collect(root, from: range.lowerBound, upTo: range.count, into: &items)
    return items
  }

  private func collect(_ section: Section, from start: Int, upTo limit: Int, into items: inout [Item]) {
    var rest = start
    if section.level >= 0 {
      if rest == 0 { items.append(.header(section)) } else { rest -= 1 }
    }
    guard hasSections(section) else {
      return section.order.forEach(from: rest, count: limit - items.count) { items.append(.row($0)) }
    }
    guard items.count < limit else { return }
    let found = section.sections.find(rest)
    rest = found.rest
    var inner: Section? = found.section
    while let some = inner, items.count < limit {
      collect(some, from: rest, upTo: limit, into: &items)
      rest = 0
      inner = SectionList.next(after: some)
    }
  }

  /// Whether a section has sections, rather than rows.
  @inline(__always) private func hasSections(_ section: Section) -> Bool { section.level + 1 < groups.count }

  /// The sections in which the item at this position lies and whose headers are above it, outermost first.
  ///
  /// - Complexity: O(log n).
  func sections(above position: Int) -> [Section] {
    guard isGrouped, position < itemCount else { return [] }
    var above: [Section] = []
    var section = root
    var rest = position
    while hasSections(section) {
      (section, rest) = section.sections.find(rest)
      guard rest > 0 else { break }
      rest -= 1
      above.append(section)
    }
    return above
  }

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
  func catchUp() { _ = catchUp(atMost: .max) }

  /// Does some of what ``catchUp()`` does: about so many rows are taken out or put in, and more each time that it was not enough for long, so
  /// that it comes to an end however fast rows change. The result is whether that was all; until it is, nobody must look at the order.
  ///
  /// The filter may do as much work as for `filterRows` rows, or `limit` if that is `nil`; see ``isHeldUpByFilter``.
  func catchUp(atMost limit: Int, filterRows: Int? = nil) -> Bool {
    isHeldUpByFilter = false
    guard build == nil else { return true }
    guard relabelings == table.relabelings else {
      startBuild()
      return true
    }
    guard backlog > 0 else { return true }
    let changes = table.log.since(position)
    if changes.count > 4096 && changes.count * 3 > table.count {
      startBuild()
      return true
    }
    slices += 1
    let factor = 1 << min(20, max(0, slices - Self.patientSlices))
    let end = limit < Int.max >> 24 ? workDone + limit * factor : .max
    version += 1
    pool.home.grow(to: Int(table.slots))
    aggregation?.grow(to: Int(table.slots))
    takeOut(changes, until: end)
    // A search must not meet a row that is out of place: nothing is put in before all that changed is out.
    if position == table.log.end { putIn(until: end, filterRows: filterRows ?? limit) }
    guard position == table.log.end, displaced.isEmpty else { return false }
    settle()
    return true
  }

  /// Everything is where it belongs.
  private func settle() {
    // Not sooner: as long as its changes are not all read, nothing else takes a row's slot.
    if let touches {
      for change in table.log.since(settledPosition) where !table.isAlive(change.slot) { touches.forget(change.slot) }
    }
    announceSections()
    slices = 0
    settledPosition = position
    (formerSections, formerPool, countsAllFrom) = ([:], nil, .max)
    checkInvariants()
  }

  /// Takes out what may stand wrong.
  private func takeOut(_ changes: ArraySlice<ChangeLog.Entry>, until end: Int) {
    var read = 0
    for (index, change) in zip(changes.indices, changes) {
      if let touches, hadRow(change.slot, in: pool, at: index) { touches.note(change.slot) }
      if concerns(change) {
        displaced.append(change.slot)
        workDone += 1
        if let chunk = pool.chunk(of: change.slot) { remove(change.slot, from: chunk) }
      } else if aggregation != nil {
        tallyAgain(change)
      }
      read += 1
      if read & 15 == 0 { workDone += 1 }
      if workDone >= end { break }
    }
    position += read
  }

  /// Puts in what was taken out, or is new, if it is shown.
  ///
  /// Slices grow, but what the filter does in one of them does not: a step of a pattern costs the same for ever.
  private func putIn(until end: Int, filterRows: Int) {
    let before = filter.work
    let limit = filterRows < .max >> 24 ? before + filterRows * Self.filterWorkPerRow : .max
    // What the filter did counts, too.
    defer {
      workDone += (filter.work - before) / Self.filterWorkPerRow
      isHeldUpByFilter = filter.work >= limit && !displaced.isEmpty
    }
    while workDone < end, filter.work < limit, let slot = displaced.popLast() {
      guard table.isAlive(slot) && !contains(slot) else {
        workDone += 1
        continue
      }
      guard let isShown = filter.lets(slot, until: limit) else { return displaced.append(slot) }
      workDone += 1
      guard isShown else { continue }
      let section = section(for: slot)
      section.order.insert(
        slot, key: compressor.compress(comparator.key(slot)), section: section, pool: pool, comparator: comparator)
      add(slot, to: section)
      touches?.note(slot)
      count(rows: 1, items: 1, in: section)
    }
  }

  /// A row that stays where it is may hold something else in a column that is aggregated.
  private func tallyAgain(_ change: ChangeLog.Entry) {
    guard let aggregation, change.columns & aggregation.interest != 0, let chunk = pool.chunk(of: change.slot) else {
      return
    }
    aggregation.remove(change.slot, from: chunk.section)
    add(change.slot, to: chunk.section)
    touch(chunk.section)
  }

  private func add(_ slot: UInt32, to section: Section) {
    guard let aggregation else { return }
    withUnsafePointer(to: UInt64(slot)) { aggregation.add(UnsafeBufferPointer(start: $0, count: 1), to: section) }
  }

  private func remove(_ slot: UInt32, from chunk: Chunk) {
    let section = chunk.section
    aggregation?.remove(slot, from: section)
    section.order.remove(slot, from: chunk, pool: pool)
    count(rows: -1, items: -1, in: section)
  }

  /// A section has so many rows and items more, and so have those it lies in.
  private func count(rows: Int, items: Int, in section: Section) {
    // What a view is put together of is announced by its build, step by step.
    if build == nil { touch(section) }
    var section = section
    while true {
      section.rows += rows
      SectionList.grow(section, by: items)
      guard let parent = section.parent else { return }
      section = parent
    }
  }

  /// The sections that rows came into or went out of, by level.
  private var touched: [[Section]] = []

  private func touch(_ section: Section) {
    // What is touched lies in what is touched.
    guard section.level >= 0, !section.isTouched else { return }
    section.isTouched = true
    touched[section.level].append(section)
    if let parent = section.parent { touch(parent) }
  }

  /// Whether the query's filter lets the row through.
  @inline(__always) func isShown(_ slot: UInt32) -> Bool { filter.lets(slot) }

  // MARK: Pages that pause

  /// Begins to count the rows that change in it, come and go.
  func openTouches() -> Touches.Moment {
    let touches = touches ?? Touches()
    if self.touches == nil, build != nil { countsAllFrom = table.log.end }
    self.touches = touches
    let moment = touches.open()
    // What was taken out and waits for the filter may never come back: it counts.
    for slot in displaced { touches.note(slot) }
    return moment
  }

  /// Whether a row was in the view before it changed; `index` is the entry's in the log.
  private func hadRow(_ slot: UInt32, in pool: ChunkPool, at index: Int) -> Bool {
    pool.has(slot) || formerPool?.has(slot) == true || table.log.start + index >= countsAllFrom
  }

  /// Ends what ``openTouches()`` began.
  func closeTouches(_ moment: Touches.Moment) {
    touches?.close(moment)
    if touches?.isEmpty == true { touches = nil }
  }

  /// The order is given up before it has caught up: what it will hold, or held, is touched.
  private func touchUnread() {
    guard let touches else { return }
    let changes = table.log.since(build?.position ?? settledPosition)
    if build == nil { formerPool = pool }
    let limit = filter.work + Self.touchWork
    for (index, change) in zip(changes.indices, changes) {
      // Beyond the limit every row counts: a number that is too great is better than a turn that does not end.
      let isThere =
        table.isAlive(change.slot) && (filter.work < limit ? filter.lets(change.slot, until: limit) ?? true : true)
      if isThere || hadRow(change.slot, in: pool, at: index) { touches.note(change.slot) }
    }
    for change in changes where !table.isAlive(change.slot) { touches.forget(change.slot) }
  }

  // MARK: Sections

  private func section(for slot: UInt32) -> Section {
    var section = root
    for column in groups {
      let value = column.cell(slot)
      section = section.sections.section(value, column.collationKey(slot)) ?? addSection(value, to: section)
    }
    return section
  }

  /// A new section, with the number that it had, if the view had one before.
  func addSection(_ value: Cell, to parent: Section) -> Section {
    let section = makeSection(value, in: parent)
    parent.sections.insert(section)
    structure += 1
    count(rows: 0, items: 1, in: parent)
    return section
  }

  /// Gives changed headers a new revision, and drops sections without rows: the inner ones first.
  private func announceSections() {
    for level in touched.indices.reversed() {
      for section in touched[level] {
        section.isTouched = false
        say(section)
        guard section.rows == 0, let parent = section.parent else { continue }
        sectionOfNumber[section.number] = nil
        structure += 1
        parent.sections.remove(section)
        count(rows: 0, items: -1, in: parent)
      }
      touched[level].removeAll(keepingCapacity: true)
    }
    if let aggregation { root.aggregates = aggregation.values(of: root) }
  }

  /// Has a section's header say what is in it.
  private func say(_ section: Section) {
    let aggregates = aggregation?.values(of: section) ?? []
    if section.rows != section.announcedCount || aggregates != section.aggregates { section.revision &+= 1 }
    section.announcedCount = section.rows
    section.aggregates = aggregates
    announcements += 1
  }

  /// For ``ViewBuild``: all rows of a section are in it, but for those that changed meanwhile.
  func announce(_ section: Section) {
    // One that only such rows belong to is dropped when it has caught up and they are not there any more.
    if section.rows == 0 { touch(section) } else { say(section) }
  }

  // MARK: From nothing

  private func startBuild(atMost limit: Int? = nil) {
    touchUnread()
    (displaced, slices) = ([], 0)
    pool = ChunkPool()
    touched = query.group.map { _ in [] }
    for section in sectionOfNumber.values { formerSections[section.path] = (section.number, section.revision) }
    sectionOfNumber = [:]
    root = Section(number: 0, level: -1, value: .null, parent: nil)
    relabelings = table.relabelings
    aggregation = Aggregation(query, table: table)
    build = ViewBuild(self, root: root)
    guard table.slots <= table.limits.stepRows / 4 else { return }
    // At once, but not fifty views in one turn because a table of thousands of rows was filled.
    workDone += Int(table.slots)
    let limit = min(limit ?? .max, table.limits.stepRows * Self.workAtOnce)
    let filterLimit = filter.work + table.limits.stepRows * ViewBuild.filterWorkPerRow
    while let build, build.spent < limit, filter.work < filterLimit { work() }
  }

  /// Puts it together once more, in steps, because it cannot keep up with its table.
  func rebuild() { startBuild(atMost: 0) }

  /// Whether the first items can be shown before the order is complete.
  var canShowFirstItems: Bool { (build?.canSelect ?? true) && relabelings == table.relabelings }

  /// Does one bounded step of putting the view together.
  func work() {
    guard let build else { return }
    // Keys that were gathered may be worthless now.
    guard relabelings == table.relabelings else { return startBuild() }
    pool.home.grow(to: Int(table.slots))
    aggregation?.grow(to: Int(table.slots))
    let before = build.spent
    build.step()
    buildWork += build.spent - before
    guard build.isDone else { return }
    self.build = nil
    version += 1
    structure += 1
    // What changed meanwhile was left out, and is caught up with.
    (position, settledPosition) = (build.position, build.position)
    if backlog == 0 { settle() }
  }

  /// For ``ViewBuild``: the order of a section is complete.
  func finish(_ section: Section) {
    section.order.finish()
    let rows = section.order.count
    if rows > 0 { count(rows: rows, items: rows, in: section) }
  }

  private func makeSection(_ value: Cell, in parent: Section) -> Section {
    let former = formerSections.isEmpty ? nil : formerSections[parent.path + [value]]
    let section = Section(
      number: former?.number ?? sectionNumbers.take { $0 == 0 || sectionOfNumber[$0] != nil }, level: parent.level + 1,
      value: value,
      sortKey: groups[parent.level + 1].collationKey(of: value), parent: parent)
    section.revision = (former?.revision ?? 0) &+ 1
    sectionOfNumber[section.number] = section
    return section
  }

  /// Whether a change may put a row in, out, or elsewhere.
  func concerns(_ change: ChangeLog.Entry) -> Bool {
    change.columns & interest != 0 || change.columns == ChangeLog.everything
  }

  /// For ``ViewBuild``: whether the query leaves rows out.
  var isFiltered: Bool { !filter.isEmpty }
  /// For ``ViewBuild``: how keys are compressed from now on.
  func chooseCompressor(_ compressor: KeyCompressor) { self.compressor = compressor }
  /// For ``ViewBuild``: puts rows at the end of a section, as the entries of a ``Chunk``.
  func append(_ entries: [UInt64], to section: Section) {
    entries.withUnsafeBufferPointer { entries in
      section.order.append(entries, section: section, pool: pool)
      aggregation?.add(entries, to: section)
    }
  }

  #if CHECK_INVARIANTS
    /// The rows of a section that is in order and counted.
    private func check(_ section: Section) -> Int {
      var rows = 0
      var items = section.level < 0 ? 0 : 1
      if hasSections(section) {
        section.sections.checkInvariants(of: section)
        var inner = section.sections.first
        while let some = inner {
          precondition(sectionOfNumber[some.number] === some, "section \(some.number) is not known by its number")
          rows += check(some)
          inner = SectionList.next(after: some)
        }
        items += section.sections.items
      } else {
        section.order.checkInvariants(pool: pool, comparator: comparator)
        rows = section.order.count
        var slots: [UInt32] = []
        section.order.forEach(from: 0, count: rows) { slots.append($0) }
        aggregation?.checkInvariants(of: section, rows: slots)
        items += rows
      }
      precondition(section.rows == rows, "section \(section.number) counts \(section.rows) rows of \(rows)")
      precondition(section.items == items, "section \(section.number) counts \(section.items) items of \(items)")
      precondition(section.level < 0 || rows > 0, "section \(section.number) is empty")
      return rows
    }
  #endif

  /// Sections are in order and counted; every row that should be shown is, once, in its section.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      let shown = check(root)
      precondition(root.sum == root.items, "all items sum \(root.sum), not \(root.items)")
      var wanted = 0
      for slot in 0..<table.slots where table.isAlive(slot) && isShown(slot) {
        wanted += 1
        precondition(contains(slot), "slot \(slot) is not shown")
      }
      precondition(shown == wanted, "\(shown) rows are shown, \(wanted) should be")
    #endif
  }
}

extension ListView {
  var accuracy: CountAccuracy { .exact }
  var isInOrder: Bool { build == nil }
  var awaitsSource: Bool { false }
  var logPosition: Int { build?.position ?? settledPosition }

  func insertion(of row: RowSnapshot, since commit: UInt32) -> InsertionReason {
    guard let slot = table.slot(of: row.id) else { return .scrolled }
    if table.isNew(slot, since: commit) { return .new }
    return table.hasChanged(slot, since: commit) ? .moved : .scrolled
  }

  func removal(of row: RowSnapshot, since commit: UInt32) -> RemovalReason {
    guard let slot = table.slot(of: row.id), contains(slot) else { return .gone }
    return table.hasChanged(slot, since: commit) ? .moved : .scrolled
  }
}
