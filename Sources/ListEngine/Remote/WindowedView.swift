/// A view of a windowed table: the known part of the source's answer, with placeholders for the
/// rest.
///
/// When the source's data changes, the visible blocks are loaded again into a separate content,
/// ``next``. Clients see the old content until the new one can replace it without gaps. They thus
/// see the data of one time, and the scroll anchor is located in both contents.
final class WindowedView: QueryView {
  let table: Table
  let query: Query
  let groups: [GroupColumn]
  /// The number of the view in its requests.
  let number: Int
  private let capabilities: WindowedCapabilities
  private let holds: RowHolds
  /// The displayed content.
  private(set) var shown: WindowedContent
  /// The content being loaded to replace `shown`, or `nil` if nothing has changed.
  private(set) var next: WindowedContent?
  private var generation = 0
  var sectionNumbers = CircularNumber(from: 1)
  /// Whether the source's data has changed since it was requested.
  var isStale = false
  /// The missing blocks that a reload waits for, or `nil` if no reload is due.
  var awaitedBlocks: Set<BlockItem>?
  /// The rows that a reload added to `shown`, with the commit, for clients that lack them.
  private var arrivals: [RowID: UInt32] = [:]
  /// The rows that a reload removed from `shown`, for clients that still hold them.
  private var departures: Set<RowID> = []
  private var foldings = Foldings()
  /// Counters of touched rows for paused sessions, or `nil` if there are none.
  private(set) var counters: ChangeCounters?
  private(set) var version = 0
  private(set) var structure = 0
  /// Whether placeholders are shown before the source has answered.
  var showsPlaceholders = false { didSet { version += 1 } }
  var use = ViewUse()

  /// Creates a view.
  ///
  /// - Precondition: The source supports the whole query.
  init(_ query: Query, number: Int, table: Table, capabilities: WindowedCapabilities, holds: RowHolds) {
    self.query = query
    self.number = number
    self.table = table
    self.capabilities = capabilities
    self.holds = holds
    groups = query.groupings.map { GroupColumn($0, of: table) }
    let size = table.limits.pageRows
    shown = WindowedContent(
      generation: 0, size: size, map: query.groupings.isEmpty ? Self.map(capabilities, size: size, count: nil) : nil)
  }

  private static func map(_ capabilities: WindowedCapabilities, size: Int, count: Int?) -> any BlockMap {
    switch capabilities.paging {
    case .offset: BlockGrid(size: size, accuracy: capabilities.count, count: count)
    case .keyset: BlockChain(size: size, canSkip: false, accuracy: capabilities.count, count: count)
    case .keysetAndOffset: BlockChain(size: size, canSkip: true, accuracy: capabilities.count, count: count)
    }
  }

  // MARK: Reading

  var rowCount: Int { shown.hasSections && shown.isAnswered ? shown.rowCount : 0 }
  var accuracy: CountAccuracy { shown.isAnswered ? shown.accuracy : .unknown }
  var itemCount: Int { shown.itemCount }
  var totals: [Cell] { [] }
  var isInOrder: Bool { shown.hasSections }
  var awaitsSource: Bool { !shown.isAnswered && !showsPlaceholders }
  var holdsAllRows: Bool { false }
  var build: ViewBuild? { nil }
  var canShowFirstItems: Bool { false }

  func contains(_ slot: UInt32) -> Bool { shown.home(of: slot) != nil }
  func position(of slot: UInt32) -> Int? { shown.position(of: slot) }
  func position(of section: Section) -> Int? { shown.position(of: section) }
  func section(numbered number: UInt32) -> Section? { shown.section(numbered: number) }
  func section(at path: [Cell]) -> Section? { shown.section(at: path) }
  func items(_ range: Range<Int>) -> [ListView.Item] { shown.items(range, view: number) }
  func sections(above position: Int) -> [Section] { shown.sections(above: position) }
  func aggregates(of section: Section) -> [Cell] { [] }
  func folded(_ collapsed: Set<[Cell]>) -> FoldedView { foldings.folded(self, collapsed) }
  func catchUp(atMost limit: Int, filterRows: Int?) -> Bool { true }
  func catchUp(_ work: inout Int) -> CatchUp { .done }

  func keepsPlace(_ slot: UInt32, since snapshot: RowSnapshot, relabelings: Int) -> Bool {
    guard contains(slot) else { return false }
    for term in query.sort where table.columns[term.column].cell(slot) != snapshot.cells[term.column] { return false }
    for (column, grouping) in zip(groups, query.groupings)
    where column.section(of: slot) != grouping.section(of: snapshot.cells[grouping.column]) { return false }
    return true
  }

  func insertion(of row: RowSnapshot, since commit: UInt32) -> Patch.Insertion {
    guard let arrival = arrivals[row.id] else { return .scrolled }
    return Int32(bitPattern: arrival &- commit) > 0 ? .new : .scrolled
  }

  func removal(of row: RowSnapshot, since commit: UInt32) -> Patch.Removal {
    departures.contains(row.id) ? .gone : .scrolled
  }

  func openChangeCount() -> ChangeCounters.Moment {
    let counters = counters ?? ChangeCounters()
    self.counters = counters
    return counters.open()
  }

  func closeChangeCount(_ moment: ChangeCounters.Moment) {
    counters?.close(moment)
    if counters?.isEmpty == true { counters = nil }
  }

  /// Reports rows that contradict the query; they are shown as received.
  private func noteContradiction(in rows: [RowBlock.Row], leaf: Int) {
    let check = BlockCheck(table.schema, query, section: loading.path(ofLeaf: leaf))
    guard let fault = check.fault(in: rows) else { return }
    table.noteContradiction(fault.words(table.schema))
  }

  // MARK: Requests

  /// The content into which blocks are loaded.
  var loading: WindowedContent { next ?? shown }

  /// Returns the request for an item, or `nil` if it is no longer needed.
  func request(for item: BlockItem, id: BlockRequestID) -> BlockRequest? {
    guard item.generation == loading.generation else { return nil }
    if item.place == .sections {
      return BlockRequest(id: id, query: query, section: [], what: .sections(limit: table.limits.windowedSections))
    }
    guard let what = loading.request(for: item) else { return nil }
    return BlockRequest(id: id, query: query, section: loading.path(ofLeaf: item.leaf), what: what)
  }

  /// Stores received rows.
  ///
  /// Returns whether they reveal a change of the source's data, or the error in them.
  func take(_ item: BlockItem, _ block: RowBlock, at tick: UInt64) -> Result<Bool, BlockFault> {
    guard item.generation == loading.generation else { return .success(false) }
    guard block.rows.count <= table.limits.pageRows else {
      return .failure(
        BlockFault(reason: "the source gave \(block.rows.count) rows where \(table.limits.pageRows) were asked for"))
    }
    for cursor in [block.begin, block.end].compactMap(\.self)
    where cursor.text.string.utf8.count > table.limits.cursorBytes {
      return .failure(
        BlockFault(
          reason:
            "the source's cursor has \(cursor.text.string.utf8.count) bytes, more than \(table.limits.cursorBytes)"))
    }
    if let count = block.count, !(0...BlockRequest.greatestCount).contains(count) {
      return .failure(BlockFault(reason: "the source counts \(count) rows"))
    }
    let commit = table.commit
    let (slots, bytes) = table.keep(block.rows)
    holds.hold(slots.filter(CachedBlock.isRow))
    if let counters {
      for slot in slots where CachedBlock.isRow(slot) && table.hasChanged(slot, since: commit) && contains(slot) {
        counters.note(slot)
      }
    }
    noteContradiction(in: block.rows, leaf: item.leaf)
    var lost: [UInt32] = []
    let result = loading.take(item, CachedBlock(slots: slots, bytes: bytes, used: tick), block, lost: &lost)
    if case .failure = result { lost = slots.filter(CachedBlock.isRow) }
    holds.release(lost)
    version += 1
    return result
  }

  /// Stores the sections reported by the source, or returns the error in them.
  func take(_ item: BlockItem, _ counts: [SectionCount]) -> BlockFault? {
    guard item.generation == loading.generation, item.place == .sections, !loading.hasSections else { return nil }
    if let fault = fault(counts) { return fault }
    let previous = shown
    let previousMaps = next == nil ? [:] : previous.maps
    var room = BlockRequest.greatestCount
    loading.take(
      counts, root: Section(number: 0, level: -1, value: .null, parent: nil),
      key: { level, value in groups[level].collationKey(of: value) },
      make: { path, key, parent in
        let known = previous.section(at: path)
        let section = Section(
          number: known?.number ?? takeSectionNumber(), level: parent.level + 1, value: path[path.count - 1],
          sortKey: key, parent: parent)
        if let known { (section.revision, section.announcedCount) = (known.revision, known.announcedCount) }
        return section
      },
      map: { count in
        // A renewed map keeps its segments, whatever the source counts now; their total must not
        // overflow.
        if let map = previousMaps[count.values]?.renewed(count: count.count), map.extent <= room {
          room -= map.extent
          return map
        }
        return Self.map(capabilities, size: table.limits.pageRows, count: count.count)
      })
    version += 1
    structure += 1
    return nil
  }

  private func takeSectionNumber() -> UInt32 {
    sectionNumbers.take { $0 == 0 || shown.section(numbered: $0) != nil || next?.section(numbered: $0) != nil }
  }

  private func fault(_ counts: [SectionCount]) -> BlockFault? {
    guard counts.count <= table.limits.windowedSections else {
      return BlockFault(
        reason: "the source has more than \(table.limits.windowedSections) sections, which is the limit")
    }
    var paths: Set<[Cell]> = []
    var total = 0
    for reported in counts {
      guard reported.values.count == groups.count,
        zip(reported.values, groups).allSatisfy({ $0 == .null || $0.type == $1.type })
      else { return BlockFault(reason: "a section of the source has values that its columns cannot have") }
      guard (0...BlockRequest.greatestCount).contains(reported.count) else {
        return BlockFault(reason: "the source counts \(reported.count) rows in a section")
      }
      total += reported.count  // bounded: both are within `greatestCount`.
      guard total <= BlockRequest.greatestCount else {
        return BlockFault(reason: "the source counts more than \(BlockRequest.greatestCount) rows in its sections")
      }
      guard paths.insert(reported.values).inserted else {
        return BlockFault(reason: "the source names a section twice")
      }
    }
    return nil
  }

  /// Sets the number of rows that a client wants to see.
  func expect(_ count: Int) {
    guard !shown.isAnswered else { return }
    shown.expect(count)
    version += 1
  }

  /// Records that an item failed to load.
  func fail(_ item: BlockItem, _ failure: BlockFailure) {
    guard item.generation == loading.generation else { return }
    loading.fail(item, failure)
    version += 1
  }

  // MARK: Changes at the source

  /// Starts a reload; the old content is shown until ``showNext()``.
  func renew() {
    (isStale, awaitedBlocks) = (false, nil)
    generation += 1
    guard viewers == 0 else {
      next = empty()
      return
    }
    // A view without sessions discards the old content, so that a new session sees nothing
    // outdated.
    release(shown)
    shown = empty()
    showsPlaceholders = false
    structure += 1
  }

  /// Whether a reload may start.
  ///
  /// A previous reload must have been shown, so that frequent changes cannot suppress all updates.
  var canRenew: Bool { next == nil && (shown.isAnswered || viewers == 0) }

  private func empty() -> WindowedContent {
    let size = table.limits.pageRows
    guard query.groupings.isEmpty else { return WindowedContent(generation: generation, size: size, map: nil) }
    let map = shown.maps[[]]?.renewed(count: nil) ?? Self.map(capabilities, size: size, count: nil)
    return WindowedContent(generation: generation, size: size, map: map)
  }

  /// Replaces the shown content by the new one.
  func showNext() {
    guard let next else { return }
    // A separate commit makes the new rows newer than all that clients were sent.
    table.apply(Changeset())
    let (gone, come) = (shown.rowsMissing(from: next), next.rowsMissing(from: shown))
    noteMoves(gone: gone.map { table.id(of: $0) }, come: come.map { table.id(of: $0) })
    for slot in gone + come { counters?.note(slot) }
    for slot in gone { counters?.forget(slot) }
    release(shown)
    shown = next
    self.next = nil
    version += 1
    structure += 1
  }

  /// Remembers which rows came and went, for clients that lag behind; the number is limited.
  private func noteMoves(gone: [RowID], come: [RowID]) {
    if departures.count + gone.count > table.limits.cachedRows { departures = [] }
    if arrivals.count + come.count > table.limits.cachedRows { arrivals = [:] }
    departures.subtract(come)
    departures.formUnion(gone)
    for row in gone { arrivals[row] = nil }
    for row in come { arrivals[row] = table.commit }
  }

  /// Releases all rows, because no session uses the view.
  func close() {
    release(shown)
    if let next { release(next) }
  }

  private func release(_ content: WindowedContent) {
    var lost: [UInt32] = []
    for (leaf, block, _) in content.blocks { lost += content.evict(leaf: leaf, block: block) }
    holds.release(lost)
  }

  /// Evicts a block.
  func evict(_ content: WindowedContent, leaf: Int, block: Int) {
    holds.release(content.evict(leaf: leaf, block: block))
    version += 1
  }
}

extension BlockRequest {
  /// The maximum number of rows in all sections together, so that sums in the engine stay below
  /// 2^54.
  static let greatestCount = 1 << 52
}

extension Cell {
  /// The type of the value, or `nil` for null.
  fileprivate var type: ColumnType? {
    switch self {
    case .null: nil
    case .integer: .integer
    case .number: .number
    case .text: .text
    case .boolean: .boolean
    case .timestamp: .timestamp
    case .image: .image
    case .series: .series
    }
  }
}
