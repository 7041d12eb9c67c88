/// The result of a query on a resident table, kept in order; sessions with equal queries share it.
///
/// A ``ViewBuild`` builds it step by step. Afterwards it catches up with its table on access, in
/// O(k log n) for k changed rows. First all rows that may be misplaced are removed, then each is
/// inserted again, so that a binary search never meets a misplaced row.
final class ListView: QueryView {
  let table: Table
  let query: Query
  let comparator: RowComparator
  let filter: RowFilter
  /// The columns to group by, outermost first.
  let groups: [GroupColumn]
  /// The rows that match or cease to match as time passes.
  private(set) var crossings: Crossings
  /// The columns whose changes may move a row, as a bit set; see ``ChangeLog/Entry/columns``.
  let interest: UInt64
  /// The columns whose changes move a row only if it comes into another range, as a bit set.
  let rangeInterest: UInt64
  /// The aggregates of the sections, or `nil` if the query has none.
  private(set) var aggregation: Aggregation?
  private(set) var compressor = KeyCompressor()
  private(set) var pool = ChunkPool()
  /// The section of all rows, which is the only one without grouping.
  private(set) var root = Section(number: 0, level: -1, value: .null, parent: nil)
  private var sectionOfNumber: [UInt32: Section] = [:]
  var sectionNumbers = CircularNumber(from: 1)
  private var relabelings = 0
  private var foldings = Foldings()
  /// The number of section headers updated so far.
  private(set) var announcements = 0
  /// The work done to catch up: one for each row removed or inserted, and a little for each change
  /// read.
  private(set) var workDone = 0
  /// The work of all builds so far; see ``ViewBuild/spent``.
  private(set) var buildWork = 0
  /// The number of changes not applied yet.
  var backlog: Int { table.log.end - logPosition }
  /// The number of changes of item positions; it invalidates data derived from positions.
  private(set) var version = 0
  /// The number of changes of the set of sections and of their order.
  private(set) var structure = 0
  /// The position up to which the table's log was read.
  private(set) var position = 0
  /// The number of slices of the current catch-up; slices grow once it exceeds `patientSlices`.
  private var slices = 0
  private static var patientSlices: Int { 8 }
  /// The filter work that costs as much as one row removed or inserted.
  private static var filterWorkPerRow: Int { 1_024 }
  /// The maximum filter work for finding changed rows when an order is abandoned.
  private static var changeWork: Int { 1 << 20 }
  /// The maximum work of a build that is done at once, as a multiple of the rows of a step.
  static var workAtOnce: Int { 5 }
  /// The log position up to which all rows were last in order.
  private(set) var settledPosition = 0
  /// Changed or new rows that are not in the order and remain to be inserted, if they match.
  private var displaced: [UInt32] = []
  /// Whether the last catch-up is incomplete because the filter's work limit was reached.
  private(set) var isHeldUpByFilter = false
  /// The number of consecutive turns that ended with a backlog above the table's limit.
  var turnsBehind = 0
  /// The sessions' use of the view.
  var use = ViewUse()
  /// Counters of changed rows for paused sessions, or `nil` if there are none.
  private(set) var counters: ChangeCounters?
  /// The rows of the view before a rebuild, while changed rows are counted.
  private var previousPool: ChunkPool?
  /// Memory that ``takeDiscarded()`` returns.
  private var discarded: [any Discardable] = []
  /// The log position from which every change counts, because the former rows are unknown.
  private var countsAllFrom = Int.max

  /// The build in progress, or `nil` if the view is complete.
  private(set) var build: ViewBuild?
  /// The pace of ``checkInvariantsWhenDue()``.
  var checkPace = CheckPace()
  /// The numbers, revisions and moves of sections from before a rebuild, which they keep.
  private var previousSections: [[Cell]: (number: UInt32, revision: UInt32, moves: UInt32)] = [:]

  /// Creates a view that ``work()`` builds.
  ///
  /// A small table is built at once, up to a work of `rows`; see ``ViewBuild/spent``.
  ///
  /// - Parameter wall: The time of day, by default that of the table.
  init(_ query: Query, table: Table, atMost rows: Int? = nil, wall: WallTime? = nil) {
    self.table = table
    self.query = query
    comparator = RowComparator(query, table: table)
    filter = RowFilter(query, table: table)
    crossings = Crossings(filter, wall: wall ?? table.wall)
    groups = query.groupings.map { GroupColumn($0, of: table) }
    var interest = filter.interest
    for term in query.sort { interest |= 1 << UInt64(term.column & 63) }
    var rangeInterest: UInt64 = 0
    for grouping in query.groupings {
      let bit: UInt64 = 1 << UInt64(grouping.column & 63)
      if grouping.ranges == nil { interest |= bit } else { rangeInterest |= bit }
    }
    (self.interest, self.rangeInterest) = (interest, rangeInterest)
    startBuild(atMost: rows)
  }

  /// The size in bytes of a row in the order and in its index; a build needs more.
  static let bytesPerRow = 16
  /// The approximate size in bytes; during a build it is estimated for all rows of the table.
  var bytes: Int { (build == nil ? root.rows : table.count) * Self.bytesPerRow + crossings.bytes }

  // MARK: Reading

  /// The number of rows.
  var rowCount: Int { build?.selectedRows ?? root.rows }
  /// The number of items: rows and headers.
  ///
  /// During a build only the ``FoldedView``s know it.
  var itemCount: Int { root.items }

  /// Returns the aggregates of a section in the order of the query, or nulls during a build.
  func aggregates(of section: Section) -> [Cell] {
    section.aggregates.isEmpty ? aggregation?.nothing ?? [] : section.aggregates
  }

  /// Returns whether the view contains a row.
  func contains(_ slot: UInt32) -> Bool { pool.has(slot) }

  /// Returns the position of a row among the items, or `nil` if it is absent or a build is in
  /// progress.
  ///
  /// - Complexity: O(log n).
  func position(of slot: UInt32) -> Int? {
    guard build == nil, let chunk = pool.chunk(of: slot) else { return nil }
    return start(of: chunk.section) + chunk.section.order.rank(of: slot, in: chunk)
  }

  /// Returns the position of a section's header, or `nil` during a build.
  ///
  /// - Complexity: O(log n).
  func position(of section: Section) -> Int? { build == nil ? start(of: section) - 1 : nil }

  /// Returns the section with this number, if it exists.
  func section(numbered number: UInt32) -> Section? { sectionOfNumber[number] }

  /// Returns the view with these sections collapsed, which sessions with the same ones share.
  func folded(_ collapsed: Set<[Cell]>) -> FoldedView { foldings.folded(self, collapsed) }

  /// Returns the position of a section's first item after its header.
  private func start(of section: Section) -> Int {
    var position = 0
    var section = section
    while let parent = section.parent {
      position += SectionList.items(before: section) + 1
      section = parent
    }
    return position
  }

  /// A row or header of a view.
  enum Item {
    case row(UInt32)
    case header(Section)
    /// A placeholder for a row that is not loaded; only in a view of a windowed table.
    case absent(AbsentRow)
  }

  /// Returns whether a section contains sections rather than rows.
  @inline(__always) func hasSections(_ section: Section) -> Bool { section.level + 1 < groups.count }

  // MARK: Catching up

  /// Applies some changes of the table, and returns whether the view is up to date.
  ///
  /// Until it returns `true`, the order must not be read. A slice removes or inserts about `limit`
  /// rows. Slices grow if many were not enough, so that the catch-up ends however fast rows change.
  ///
  /// - Parameters:
  ///   - limit: The approximate number of rows to remove or insert.
  ///   - filterRows: The filter's work limit in rows, or `nil` for `limit`; see
  ///     ``isHeldUpByFilter``.
  /// - Complexity: O(k log n) for k changed rows, O(n log n) if most rows changed.
  func catchUp(atMost limit: Int, filterRows: Int? = nil) -> Bool {
    isHeldUpByFilter = false
    guard build == nil else { return true }
    guard relabelings == table.relabelings, !crossings.isTimeBack else {
      startBuild()
      return true
    }
    guard hasChanges else {
      crossings.settle()
      return true
    }
    let changes = table.log.since(position)
    let changed = changes.count + crossings.unsettled
    if changed > 4096 && changed * 3 > table.count {
      startBuild()
      return true
    }
    slices += 1
    let factor = 1 << min(20, max(0, slices - Self.patientSlices))
    let end = limit < Int.max >> 24 ? workDone + limit * factor : .max
    version += 1
    pool.home.grow(to: Int(table.slots))
    aggregation?.grow(to: Int(table.slots))
    crossings.followTime()
    takeOut(changes, until: end)
    while workDone < end, let slot = crossings.takeFirst() {
      displaced.append(slot)
      workDone += 1
    }
    // A binary search must not meet a misplaced row, so all changed rows are removed before any is
    // inserted.
    if position == table.log.end { putIn(until: end, filterRows: filterRows ?? limit) }
    guard position == table.log.end, displaced.isEmpty, !crossings.isDue else { return false }
    settle()
    return true
  }

  /// Applies changes of the table within the work left in a turn, and subtracts the work done.
  func catchUp(_ work: inout Int) -> CatchUp {
    guard build == nil else { return .done }
    guard hasChanges || crossings.isTimeBack else {
      crossings.settle()
      return .done
    }
    guard work > 0 else { return .outOfWork }
    let before = workDone
    let isDone = catchUp(atMost: work, filterRows: min(work, max(1, table.limits.turnRows / 2)))
    work -= workDone - before
    return isDone ? .done : isHeldUpByFilter ? .heldUpByFilter : .outOfWork
  }

  /// Completes a catch-up once all rows are in order.
  private func settle() {
    // Not earlier: slots are not reused while changes are unread.
    if let counters {
      for change in table.log.since(settledPosition) where !table.isAlive(change.slot) { counters.forget(change.slot) }
    }
    announceSections()
    slices = 0
    settledPosition = position
    crossings.settle()
    discard(previousPool)
    (previousSections, previousPool, countsAllFrom) = ([:], nil, .max)
    checkInvariantsWhenDue()
  }

  /// Removes rows that may be misplaced.
  private func takeOut(_ changes: ArraySlice<ChangeLog.Entry>, until end: Int) {
    var read = 0
    for (index, change) in zip(changes.indices, changes) {
      if let counters, hadRow(change.slot, in: pool, at: index) { counters.note(change.slot) }
      if concerns(change), !staysInSection(change) {
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

  /// Inserts removed and new rows that match the filter.
  ///
  /// Slices grow, but the filter's share of a slice does not, because a single pattern can be
  /// expensive.
  private func putIn(until end: Int, filterRows: Int) {
    let before = filter.work
    let limit = filterRows < .max >> 24 ? before + filterRows * Self.filterWorkPerRow : .max
    // Filter work counts as work, too.
    defer {
      workDone += (filter.work - before) / Self.filterWorkPerRow
      isHeldUpByFilter = filter.work >= limit && !displaced.isEmpty
    }
    while workDone < end, filter.work < limit, let slot = displaced.popLast() {
      guard table.isAlive(slot) else {
        crossings.remove(slot)
        workDone += 1
        continue
      }
      guard let isShown = filter.lets(slot, until: limit) else { return displaced.append(slot) }
      workDone += 1
      crossings.note(slot)
      // A row that changed twice, or for which only time has passed, is in its place already.
      if let chunk = pool.chunk(of: slot) {
        if !isShown {
          counters?.note(slot)
          remove(slot, from: chunk)
        }
        continue
      }
      guard isShown else { continue }
      let section = section(for: slot)
      section.order.insert(
        slot, key: compressor.compress(comparator.key(slot)), section: section, pool: pool, comparator: comparator)
      add(slot, to: section)
      counters?.note(slot)
      count(rows: 1, items: 1, in: section)
    }
  }

  // MARK: Ages

  /// Whether rows remain to be tested before the view is up to date.
  private var hasChanges: Bool { backlog > 0 || !displaced.isEmpty || crossings.isDue }

  /// Records when the result for a row may change; called by ``ViewBuild``.
  func noteCrossing(of slot: UInt32, at time: Int64) { crossings.set(slot, at: time) }

  /// Takes up to `limit` rows for which time has passed during a build; called by ``ViewBuild``.
  ///
  /// The next catch-up tests them again.
  func takeCrossings(atMost limit: Int) -> ArraySlice<UInt32> {
    let start = displaced.count
    while displaced.count - start < limit, let slot = crossings.takeFirst() {
      if let counters, mayHaveHad(slot) { counters.note(slot) }
      displaced.append(slot)
    }
    return displaced[start...]
  }

  /// Returns whether sessions have to be notified that rows match or cease to match.
  func noteCrossing() -> Bool { crossings.noteDue() }

  /// Updates the aggregates for a row that keeps its position.
  private func tallyAgain(_ change: ChangeLog.Entry) {
    guard let aggregation, change.columns & aggregation.interest != 0, let chunk = pool.chunk(of: change.slot) else {
      return
    }
    aggregation.remove(change.slot, from: chunk.section)
    add(change.slot, to: chunk.section)
    noteChange(chunk.section)
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

  /// Changes the counts of a section and its ancestors.
  private func count(rows: Int, items: Int, in section: Section) {
    // During a build, the build announces sections step by step.
    if build == nil { noteChange(section) }
    var section = section
    while true {
      section.rows += rows
      SectionList.grow(section, by: items)
      guard let parent = section.parent else { return }
      section = parent
    }
  }

  /// The sections with changed rows, by level.
  private var changedSections: [[Section]] = []

  private func noteChange(_ section: Section) {
    // A changed section's ancestors have changed too.
    guard section.level >= 0, !section.hasChanged else { return }
    section.hasChanged = true
    changedSections[section.level].append(section)
    if let parent = section.parent { noteChange(parent) }
  }

  /// Returns whether a row matches the query's filter.
  @inline(__always) func isShown(_ slot: UInt32) -> Bool { filter.lets(slot) }

  // MARK: Paused clients

  /// Starts counting rows that change, come or go.
  func openChangeCount() -> ChangeCounters.Moment {
    let counters = counters ?? ChangeCounters()
    if self.counters == nil, build != nil { countsAllFrom = table.log.end }
    self.counters = counters
    let moment = counters.open()
    // Removed rows that wait for the filter may not come back, so they count.
    for slot in displaced { counters.note(slot) }
    return moment
  }

  /// Returns whether the view contained a row before the change at `index` of the log.
  private func hadRow(_ slot: UInt32, in pool: ChunkPool, at index: Int) -> Bool {
    pool.has(slot) || previousPool?.has(slot) == true || table.log.start + index >= countsAllFrom
  }

  /// Ends the counting that ``openChangeCount()`` started.
  func closeChangeCount(_ moment: ChangeCounters.Moment) {
    counters?.close(moment)
    if counters?.isEmpty == true { counters = nil }
  }

  /// Counts the rows changed by unread changes, because the order is abandoned before they are
  /// applied.
  private func noteUnreadChanges() {
    guard let counters else { return }
    let changes = table.log.since(build?.position ?? settledPosition)
    if build == nil { previousPool = pool }
    let limit = filter.work + Self.changeWork
    for (index, change) in zip(changes.indices, changes) {
      // Beyond the limit every row counts: too large a number is better than an endless turn.
      let isThere =
        table.isAlive(change.slot) && (filter.work < limit ? filter.lets(change.slot, until: limit) ?? true : true)
      if isThere || hadRow(change.slot, in: pool, at: index) { counters.note(change.slot) }
    }
    noteCrossings(counters, until: limit)
    for change in changes where !table.isAlive(change.slot) { counters.forget(change.slot) }
  }

  /// Counts the rows that match or cease to match because time has passed.
  private func noteCrossings(_ counters: ChangeCounters, until limit: Int) {
    guard filter.isRelative else { return }
    // If the time was set back, any row may match again.
    var crossed = crossings.isTimeBack ? Array(0..<table.slots) : displaced
    crossings.followTime()
    while let slot = crossings.takeFirst() { crossed.append(slot) }
    for slot in crossed where table.isAlive(slot) {
      if mayHaveHad(slot) || filter.work >= limit || filter.lets(slot, until: limit) ?? true { counters.note(slot) }
    }
  }

  /// Returns whether the view may have contained a row.
  private func mayHaveHad(_ slot: UInt32) -> Bool {
    pool.has(slot) || previousPool?.has(slot) == true || countsAllFrom < .max
  }

  // MARK: Sections

  private func section(for slot: UInt32) -> Section {
    var section = root
    for column in groups {
      let value = column.section(of: slot)
      section = section.sections.section(value, column.collationKey(slot)) ?? addSection(value, to: section)
    }
    return section
  }

  /// Adds a section, which keeps its number from before a rebuild.
  func addSection(_ value: Cell, to parent: Section) -> Section {
    let section = makeSection(value, in: parent)
    parent.sections.insert(section)
    structure += 1
    count(rows: 0, items: 1, in: parent)
    return section
  }

  /// Updates the revisions of changed headers and removes sections without rows, innermost first.
  private func announceSections() {
    for level in changedSections.indices.reversed() {
      for section in changedSections[level] {
        section.hasChanged = false
        updateHeader(section)
        guard section.rows == 0, let parent = section.parent else { continue }
        sectionOfNumber[section.number] = nil
        structure += 1
        parent.sections.remove(section)
        count(rows: 0, items: -1, in: parent)
      }
      changedSections[level].removeAll(keepingCapacity: true)
    }
    if let aggregation { root.aggregates = aggregation.values(of: root) }
  }

  /// Updates a section's header from its rows.
  private func updateHeader(_ section: Section) {
    let aggregates = aggregation?.values(of: section) ?? []
    if section.rows != section.announcedCount || aggregates != section.aggregates { section.revision &+= 1 }
    section.announcedCount = section.rows
    section.aggregates = aggregates
    announcements += 1
    if place(section) { structure += 1 }
  }

  /// Updates the header of a section that a build has filled.
  ///
  /// Rows that changed during the build are missing.
  func announce(_ section: Section) {
    // A section without rows is dropped by the next catch-up unless changed rows belong to it.
    if section.rows == 0 { noteChange(section) } else { updateHeader(section) }
  }

  // MARK: Building

  private func startBuild(atMost limit: Int? = nil) {
    noteUnreadChanges()
    (displaced, slices) = ([], 0)
    crossings.restart()
    changedSections = query.groupings.map { _ in [] }
    for section in sectionOfNumber.values {
      previousSections[section.path] = (section.number, section.revision, section.moves)
    }
    for part in takeApart().parts { discard(part) }
    root.sections = SectionList(query.order(ofLevel: 0))
    relabelings = table.relabelings
    aggregation = Aggregation(query, table: table)
    build = ViewBuild(self, root: root)
    guard table.slots <= table.limits.stepRows / 4 else { return }
    // Build small tables at once, but not fifty views in one turn because thousands of rows were
    // loaded.
    workDone += Int(table.slots)
    let limit = min(limit ?? .max, table.limits.stepRows * Self.workAtOnce)
    let filterLimit = filter.work + table.limits.stepRows * ViewBuild.filterWorkPerRow
    while let build, build.spent < limit, filter.work < filterLimit { work() }
  }

  /// Empties the view, and returns its memory.
  func takeApart() -> (parts: [any Discardable], sections: [Section]) {
    let parts: [(any Discardable)?] = [pool === previousPool ? nil : pool, aggregation, build]
    defer {
      (pool, sectionOfNumber, aggregation, build) = (ChunkPool(), [:], nil, nil)
      root = Section(number: 0, level: -1, value: .null, parent: nil)
      discarded = []
    }
    return (discarded + parts.compactMap(\.self), Array(sectionOfNumber.values) + [root])
  }

  /// Returns memory that the view does not need any more.
  func takeDiscarded() -> [any Discardable] {
    defer { discarded = [] }
    return discarded
  }

  /// Keeps memory of many rows to be freed in later turns.
  private func discard(_ part: (any Discardable)?) {
    if let part, DiscardedViews.matter(in: table) { discarded.append(part) }
  }

  /// Starts a build in steps because the view cannot keep up with its table.
  func rebuild() { startBuild(atMost: 0) }

  /// Whether the first items can be shown before the order is complete.
  var canShowFirstItems: Bool {
    (build?.canSelect ?? true) && relabelings == table.relabelings && !crossings.isTimeBack
  }

  /// Performs one bounded step of the build.
  func work() {
    guard let build else { return }
    // Keys that were gathered may be worthless now.
    guard relabelings == table.relabelings, !crossings.isTimeBack else { return startBuild() }
    // Memory for millions of rows takes longer to prepare than a step may, and the first window
    // does not need it.
    if !build.isGathering {
      let grown = min(Int(table.slots), pool.home.count + 2 * max(1, table.limits.stepRows))
      pool.home.grow(to: grown)
      aggregation?.grow(to: grown)
    }
    let before = build.spent
    build.step()
    buildWork += build.spent - before
    guard build.isDone else { return }
    self.build = nil
    discard(build)
    version += 1
    structure += 1
    // Changes during the build were left out and are applied by the next catch-up.
    (position, settledPosition) = (build.position, build.position)
    if !hasChanges { settle() }
  }

  /// Completes the order of a section; called by ``ViewBuild``.
  func finish(_ section: Section) {
    section.order.finish()
    let rows = section.order.count
    if rows > 0 { count(rows: rows, items: rows, in: section) }
  }

  private func makeSection(_ value: Cell, in parent: Section) -> Section {
    let before = previousSections.isEmpty ? nil : previousSections[parent.path + [value]]
    let section = Section(
      number: before?.number ?? sectionNumbers.take { $0 == 0 || sectionOfNumber[$0] != nil }, level: parent.level + 1,
      value: value,
      sortKey: groups[parent.level + 1].collationKey(of: value), parent: parent)
    section.sections = SectionList(query.order(ofLevel: section.level + 1))
    section.revision = (before?.revision ?? 0) &+ 1
    // A rebuild can change any place.
    section.moves = (before?.moves ?? 0) &+ 1
    sectionOfNumber[section.number] = section
    return section
  }

  /// Whether the query has a filter; used by ``ViewBuild``.
  var isFiltered: Bool { !filter.isEmpty }
  /// Whether memory for all rows of the table is prepared; used by ``ViewBuild``.
  var hasRoomForRows: Bool { pool.home.count >= Int(table.slots) }
  /// Sets the compression of keys; called by ``ViewBuild``.
  func chooseCompressor(_ compressor: KeyCompressor) { self.compressor = compressor }
  /// Appends rows to a section, as entries of a ``Chunk``; called by ``ViewBuild``.
  func append(_ entries: [UInt64], to section: Section) {
    entries.withUnsafeBufferPointer { entries in
      section.order.append(entries, section: section, pool: pool)
      aggregation?.add(entries, to: section)
    }
  }
}
