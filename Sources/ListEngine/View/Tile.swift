/// A figure about all rows of a table under a filter, maintained incrementally from its change log.
///
/// Clients with equal tiles share one. A change costs O(log rows) if it affects the tile, and so
/// does the age of a row that its filter is about.
final class Tile: SharedCount {
  static let plural = "tiles"

  let query: TileQuery
  private let table: Table
  private let filter: RowFilter
  /// The rows that count or cease to count as time passes.
  private var crossings: Crossings
  /// The aggregate, or `nil` for the number of rows.
  private let figure: TileFigure?
  /// Whether each row counts.
  private let isCounted = Chunked<Bool>(filler: false)
  private var count = 0
  /// The position up to which the table's log was read.
  private(set) var position: Int
  /// The rows that remain to be counted for the first time.
  private var unscanned: Range<UInt32>
  private var history: TileHistory?
  /// The last value reported.
  private var lastValue = Cell.null
  private(set) var report = TileReport(.null)
  /// The number of clients that show the tile.
  var watchers = 0
  /// The time at which the last client left.
  var unwatchedSince: Instant?

  /// The filter work that costs as much as one row.
  private static var filterWorkPerRow: Int { 1_024 }

  /// Creates a tile whose rows ``catchUp(_:)`` and ``scan(_:)`` count.
  ///
  /// - Precondition: The query fits the table.
  init(_ query: TileQuery, table: Table) {
    self.query = query
    self.table = table
    filter = RowFilter(Query(filter: query.filter), table: table)
    crossings = Crossings(filter, wall: table.wall)
    figure = query.aggregate.map { TileFigure($0, table: table) }
    position = table.log.end
    unscanned = 0..<(query.isRowCount ? 0 : table.slots)
  }

  deinit { isCounted.deallocate() }

  /// The number of changes not applied yet.
  var backlog: Int { query.isRowCount ? 0 : table.log.end - position }

  /// Whether all changes are applied, and all rows counted that time lets count or cease to count.
  var isCurrent: Bool { backlog == 0 && !crossings.isDue && !crossings.isTimeBack }

  /// Returns whether rows count or cease to count because time has passed; `true` once until the
  /// tile catches up.
  func noteCrossing() -> Bool { crossings.noteDue() }

  /// The time of the next call to ``noteCrossing()``, or `nil` for none.
  var crossingDeadline: Instant? { crossings.deadline }

  /// Whether rows remain to be counted for the first time.
  var isScanning: Bool { !unscanned.isEmpty }

  /// Applies changes of the table while `work` is left, and returns whether none remain.
  func catchUp(_ work: inout Int) -> Bool {
    guard !query.isRowCount else {
      position = table.log.end
      return true
    }
    isCounted.grow(to: Int(table.slots))
    figure?.grow(to: Int(table.slots))
    if crossings.isTimeBack { restart() }
    crossings.followTime()
    let interest = filter.interest | (figure?.interest ?? 0)
    var read = 0
    for change in table.log.since(position) {
      guard work > 0 else { break }
      if change.columns == ChangeLog.everything || change.columns & interest != 0 {
        guard update(change.slot, &work) else { break }
      }
      read += 1
      if read & 15 == 0 { work -= 1 }
    }
    position += read
    while work > 0, let slot = crossings.takeFirst() {
      guard update(slot, &work) else {
        crossings.set(slot, at: filter.time)
        break
      }
    }
    guard isCurrent else { return false }
    crossings.settle()
    return true
  }

  /// Counts rows for the first time while `work` is left, and returns whether none remain.
  ///
  /// - Precondition: ``catchUp(_:)`` has applied all changes.
  func scan(_ work: inout Int) -> Bool {
    while work > 0, let slot = unscanned.first {
      guard update(slot, &work) else { break }
      unscanned = slot + 1..<unscanned.upperBound
    }
    return unscanned.isEmpty
  }

  /// Counts all rows again instead of applying a long log.
  func restart() {
    position = table.log.end
    unscanned = 0..<table.slots
    crossings.restart()
  }

  /// Counts a row as it is now, and returns whether there was enough work left for its filter.
  private func update(_ slot: UInt32, _ work: inout Int) -> Bool {
    work -= 1
    crossings.remove(slot)
    var isShown = table.isAlive(slot)
    if isShown && !filter.isEmpty {
      let before = filter.work
      defer { work -= (filter.work - before) / Self.filterWorkPerRow }
      guard let lets = filter.lets(slot, until: before + (max(0, work) + 1) * Self.filterWorkPerRow) else {
        return false
      }
      crossings.note(slot)
      isShown = lets
    }
    if isShown { figure?.put(slot) }
    guard isShown != isCounted[slot] else { return true }
    if !isShown { figure?.take(slot) }
    isCounted[slot] = isShown
    count += isShown ? 1 : -1
    return true
  }

  /// Takes the current value into the report and the history.
  ///
  /// - Parameter rows: The number of rows of the table, or `nil` if unknown.
  /// - Precondition: No changes and rows remain.
  func refresh(rows: Int?, at now: Instant) {
    let value: Cell
    if query.isRowCount {
      value = rows.map { .integer(Int64($0)) } ?? .null
    } else {
      value = figure?.value ?? .integer(Int64(count))
    }
    // The seconds that have passed had the former value: a change is reported in its first second.
    history?.advance(to: now, with: lastValue)
    if history == nil { history = TileHistory(value, at: now) }
    lastValue = value
    report = history?.report(value) ?? TileReport(value)
  }

  /// Whether the report stays the same while no row changes.
  var isSteady: Bool { report.before == nil }

  /// Checks that exactly the rows that match the filter have been counted.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      guard !query.isRowCount, isCurrent, !isScanning else { return }
      let counted = (0..<table.slots).filter { isCounted[$0] }
      let wanted = (0..<table.slots).filter { table.isAlive($0) && filter.lets($0) }
      precondition(counted == wanted && count == counted.count, "a tile counts \(count) rows of \(wanted.count)")
      figure?.checkInvariants(rows: counted)
    #endif
  }
}
