/// The rows of a query by the values or ranges of one column, maintained incrementally from the
/// change log.
///
///     facet.catchUp(&work)        // applies changes
///     facet.scan(&work)           // counts the rows for the first time
///     facet.refresh()             // facet.outcome has the counts then
///
/// Clients with equal facets share one. A change of a row costs the filter, and O(1) or the hash of
/// a text.
final class Facet: SharedCount {
  static let plural = "facets"

  /// The state of the count.
  private enum Count {
    /// No row has been counted.
    case waiting
    case values(FacetValues)
    case ranges(FacetRanges)
    /// The column has more than this number of values, while the table had this number of rows.
    case tooMany(values: Int, tableRows: Int)
  }

  let query: FacetQuery
  private let table: Table
  private let column: ColumnStore
  private let filter: RowFilter
  /// The counted rows that match or cease to match as time passes.
  private var crossings: Crossings
  private var count = Count.waiting
  /// The part in which each row counts: the number of its value or range, ``empty`` or ``none``.
  ///
  /// Those of unscanned rows are not valid.
  private let parts = Chunked<UInt32>(filler: Facet.none)
  private var emptyRows = 0
  /// The position up to which the table's log was read.
  private(set) var position: Int
  /// The rows that remain to be counted for the first time.
  private var unscanned: Range<UInt32> = 0..<0
  /// Whether the counts have changed since ``outcome`` was last computed.
  private var isChanged = true
  /// The counts at the last call of ``refresh()``; pending while the rows are counted.
  private(set) var outcome = FacetOutcome.pending
  /// The number of clients that show the facet.
  var watchers = 0
  /// The time at which the last client left.
  var unwatchedSince: Instant?

  /// The part of a row that does not count, and that of an empty cell.
  private static var none: UInt32 { .max }
  private static var empty: UInt32 { .max - 1 }
  /// The filter work that costs as much as one row.
  private static var filterWorkPerRow: Int { 1_024 }
  /// The approximate size of a facet's state for each row of the table, in bytes.
  static var bytesPerRow: Int { 4 }

  /// Creates a facet whose rows ``catchUp(_:)`` and ``scan(_:)`` count.
  ///
  /// - Precondition: The query fits the table.
  init(_ query: FacetQuery, table: Table) {
    self.query = query
    self.table = table
    column = table.columns[query.column]
    filter = RowFilter(query.rows, table: table)
    crossings = Crossings(filter, wall: table.wall)
    position = table.log.end
  }

  deinit { parts.deallocate() }

  /// Begins to count rows.
  private func begin(_ work: inout Int) {
    unscanned = 0..<table.slots
    guard column.type == .integer || column.type == .number || column.type == .timestamp else {
      count = .values(FacetValues(column, hasher: table.hasher))
      return
    }
    work -= FacetRanges.sampleSize
    count = .ranges(FacetRanges(Self.scale(query, table)))
  }

  private static func scale(_ query: FacetQuery, _ table: Table) -> FacetScale {
    let column = table.columns[query.column]
    let isBytes = table.schema.columns[query.column].style == .bytes
    return FacetScale(
      FacetRanges.sample(of: column, in: table), type: column.type, isBytes: isBytes, zone: query.zone)
  }

  /// The number of changes not applied yet.
  var backlog: Int { table.log.end - position }

  /// Whether all changes are applied, and all rows counted that time lets match or cease to match.
  var isCurrent: Bool { backlog == 0 && !crossings.isDue && !crossings.isTimeBack }

  /// Returns whether rows match or cease to match because time has passed; `true` once until the
  /// facet catches up.
  func noteCrossing() -> Bool { crossings.noteDue() }

  /// The time of the next call to ``noteCrossing()``, or `nil` for none.
  var crossingDeadline: Instant? { crossings.deadline }

  /// Whether rows remain to be counted for the first time.
  var isScanning: Bool { if case .waiting = count { true } else { !unscanned.isEmpty } }

  /// Applies changes of the table while `work` is left, and returns whether none remain.
  func catchUp(_ work: inout Int) -> Bool {
    if crossings.isTimeBack { restart() }
    crossings.followTime()
    switch count {
    case .waiting, .tooMany: position = table.log.end
    case .values, .ranges: break
    }
    parts.grow(to: Int(table.slots))
    let interest = filter.interest | 1 << UInt64(query.column & 63)
    var read = 0
    for change in table.log.since(position) {
      guard work > 0 else { break }
      if change.columns == ChangeLog.everything || change.columns & interest != 0, !unscanned.contains(change.slot) {
        guard update(change.slot, from: parts[change.slot], &work) else { break }
      }
      read += 1
      if read & 15 == 0 { work -= 1 }
    }
    position += read
    while work > 0, let slot = crossings.takeFirst() {
      guard update(slot, from: parts[slot], &work) else {
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
    if case .waiting = count, work > 0 { begin(&work) }
    while work > 0, let slot = unscanned.first {
      guard update(slot, from: Self.none, &work) else { break }
      // A count of too many values has ended meanwhile.
      if !unscanned.isEmpty { unscanned = slot + 1..<unscanned.upperBound }
    }
    return !isScanning
  }

  /// Counts all rows again: instead of applying a long log, or by other ranges.
  func restart() {
    crossings.restart()
    count = .waiting
    emptyRows = 0
    position = table.log.end
    outcome = .pending
    isChanged = true
  }

  /// Counts a row as it is now instead of in the part `old`, and returns whether there was enough
  /// work left for its filter.
  private func update(_ slot: UInt32, from old: UInt32, _ work: inout Int) -> Bool {
    work -= 1
    crossings.remove(slot)
    var isShown = false
    if table.isAlive(slot) {
      let before = filter.work
      defer { work -= (filter.work - before) / Self.filterWorkPerRow }
      guard let lets = filter.lets(slot, until: before + (max(0, work) + 1) * Self.filterWorkPerRow) else {
        return false
      }
      crossings.note(slot)
      isShown = lets
    }
    let new = isShown ? add(slot) : Self.none
    remove(old)
    parts[slot] = new
    if new != old { isChanged = true }
    checkSize()
    return true
  }

  /// Adds a row to its part, and returns the part.
  private func add(_ slot: UInt32) -> UInt32 {
    guard !column.isNull(slot) else {
      emptyRows += 1
      return Self.empty
    }
    switch count {
    case .values(let values): return values.add(slot)
    case .ranges(let ranges): return ranges.add(column.sortKey(slot, descending: false))
    case .waiting, .tooMany: return Self.none
    }
  }

  private func remove(_ part: UInt32) {
    guard part != Self.none else { return }
    guard part != Self.empty else {
      emptyRows -= 1
      return
    }
    switch count {
    case .values(let values): values.remove(part)
    case .ranges(let ranges): ranges.remove(part)
    case .waiting, .tooMany: break
    }
  }

  /// Stops counting values if they are too many, and frees their memory.
  private func checkSize() {
    guard case .values(let values) = count,
      values.distinct > table.limits.facetValues || values.bytes > table.limits.facetBytes
    else { return }
    count = .tooMany(values: values.distinct - 1, tableRows: table.count)
    crossings.restart()
    unscanned = 0..<0
    isChanged = true
  }

  /// Takes the counts into ``outcome``, and returns whether all rows have to be counted again
  /// first.
  ///
  /// - Precondition: No changes and rows remain.
  /// - Complexity: O(values).
  func refresh() -> Bool {
    guard isChanged || mayBeFewer else { return false }
    switch count {
    case .values(let values):
      outcome = .counts(FacetCounts(values.parts(atMost: table.limits.facetShown), emptyRows: emptyRows))
    case .ranges(let ranges):
      // Ranges that have just been chosen are reported once, whatever has changed meanwhile.
      if outcome == .pending, !ranges.isWhole {
        ranges.confirm()
      } else if ranges.isOutgrown {
        guard Self.scale(query, table) == ranges.scale else {
          restart()
          return true
        }
        ranges.confirm()
      }
      outcome = .counts(FacetCounts(ranges.parts, emptyRows: emptyRows))
    case .waiting: return false
    case .tooMany(let values, _):
      if mayBeFewer {
        restart()
        return true
      }
      outcome = .moreValues(than: values)
    }
    isChanged = false
    return false
  }

  /// Whether the table has shrunk so much that its values may not be too many any longer.
  private var mayBeFewer: Bool {
    guard case .tooMany(_, let rows) = count else { return false }
    return table.count < rows / 2
  }

  /// Checks that exactly the rows that match the filter count, each in its part.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      guard isCurrent, !isScanning else { return }
      if case .tooMany = count { return }
      var (counted, emptyCells) = (0, 0)
      for slot in 0..<table.slots {
        let isWanted = table.isAlive(slot) && filter.lets(slot)
        let part = parts[slot]
        precondition((part != Self.none) == isWanted, "a facet counts row \(slot) \(isWanted ? "not" : "wrongly")")
        guard isWanted else { continue }
        precondition((part == Self.empty) == column.isNull(slot), "a facet counts row \(slot) as empty or not")
        guard part != Self.empty else {
          emptyCells += 1
          continue
        }
        counted += 1
        let isRight =
          switch count {
          case .values(let values): values.isValue(part, of: slot)
          case .ranges(let ranges): ranges.scale.range(of: column.sortKey(slot, descending: false)) == part
          case .waiting, .tooMany: true
          }
        precondition(isRight, "a facet counts row \(slot) in part \(part)")
      }
      let sum =
        switch count {
        case .values(let values): values.count
        case .ranges(let ranges): ranges.count
        case .waiting, .tooMany: counted
        }
      precondition(sum == counted && emptyRows == emptyCells, "a facet counts \(sum) rows of \(counted)")
    #endif
  }
}
