/// A windowed table as one query shows it: what is known of its source's answer, with placeholders for the rest.
///
/// When the source's data changes everything in sight is asked for again, and goes into a content of its own, ``next``; pages go on
/// seeing the old one until the new one can take its place without a gap. So what they see is of one time, and the reader's row is looked
/// for in both.
final class WindowedView: QueryView {
  let table: Table
  let query: Query
  let groups: [ColumnStore]
  /// Names it in what is asked for.
  let number: Int
  private let capabilities: WindowedCapabilities
  private let holds: RowHolds
  /// What pages see.
  private(set) var shown: WindowedContent
  /// What is being loaded to take its place; `nil` when nothing has changed.
  private(set) var next: WindowedContent?
  private var generation = 0
  var sectionNumbers = CircularNumber(from: 1)
  /// Whether the source's data has changed since it was asked.
  var isStale = false
  /// What was never there and is to come before everything is asked for again; `nil` until that is to be.
  var owed: Set<PageItem>?
  /// Rows that came into `shown` by a change, and when; for pages that have not seen them yet.
  private var arrivals: [RowID: UInt32] = [:]
  /// Rows that went out of it by one; for pages that still show them.
  private var departures: Set<RowID> = []
  private var foldings = Foldings()
  /// Counts for pages that pause; `nil` while none does.
  private(set) var touches: Touches?
  private(set) var version = 0
  private(set) var structure = 0
  /// Whether it shows placeholders though nothing has come at all.
  var isOutOfPatience = false { didSet { version += 1 } }
  var viewers = 0
  var unwatchedSince: Instant?
  var leaving = 0

  /// - Precondition: The source can do all that the query asks.
  init(_ query: Query, number: Int, table: Table, capabilities: WindowedCapabilities, holds: RowHolds) {
    self.query = query
    self.number = number
    self.table = table
    self.capabilities = capabilities
    self.holds = holds
    groups = query.group.map { table.columns[$0] }
    let size = table.limits.pageRows
    shown = WindowedContent(
      generation: 0, size: size, map: query.group.isEmpty ? Self.map(capabilities, size: size, count: nil) : nil)
  }

  private static func map(_ capabilities: WindowedCapabilities, size: Int, count: Int?) -> any PageMap {
    switch capabilities.paging {
    case .offset: PageGrid(size: size, accuracy: capabilities.count, count: count)
    case .keyset: PageChain(size: size, canSkip: false, accuracy: capabilities.count, count: count)
    case .keysetAndOffset: PageChain(size: size, canSkip: true, accuracy: capabilities.count, count: count)
    }
  }

  // MARK: Looking

  var rowCount: Int { shown.hasSections && shown.isAnswered ? shown.rowCount : 0 }
  var accuracy: CountAccuracy { shown.isAnswered ? shown.accuracy : .unknown }
  var itemCount: Int { shown.itemCount }
  var totals: [Cell] { [] }
  var isInOrder: Bool { shown.hasSections }
  var awaitsSource: Bool { !shown.isAnswered && !isOutOfPatience }
  var logPosition: Int { table.log.end }

  func contains(_ slot: UInt32) -> Bool { shown.home(of: slot) != nil }
  func position(of slot: UInt32) -> Int? { shown.position(of: slot) }
  func position(of section: Section) -> Int? { shown.position(of: section) }
  func section(numbered number: UInt32) -> Section? { shown.section(numbered: number) }
  func section(at path: [Cell]) -> Section? { shown.section(at: path) }
  func items(_ range: Range<Int>) -> [ListView.Item] { shown.items(range, view: number) }
  func sections(above position: Int) -> [Section] { shown.sections(above: position) }
  func aggregates(of section: Section) -> [Cell] { [] }
  func folded(_ collapsed: Set<[Cell]>) -> FoldedView { foldings.folded(self, collapsed) }
  func catchUp() {}

  func keepsPlace(_ slot: UInt32, since snapshot: RowSnapshot, relabelings: Int) -> Bool {
    guard contains(slot) else { return false }
    for term in query.sort where table.columns[term.column].cell(slot) != snapshot.cells[term.column] { return false }
    for column in query.group where table.columns[column].cell(slot) != snapshot.cells[column] { return false }
    return true
  }

  func insertion(of row: RowSnapshot, since commit: UInt32) -> Patch.Insertion {
    guard let arrival = arrivals[row.id] else { return .scrolled }
    return Int32(bitPattern: arrival &- commit) > 0 ? .new : .scrolled
  }

  func removal(of row: RowSnapshot, since commit: UInt32) -> Patch.Removal {
    departures.contains(row.id) ? .gone : .scrolled
  }

  func openTouches() -> Touches.Moment {
    let touches = touches ?? Touches()
    self.touches = touches
    return touches.open()
  }

  func closeTouches(_ moment: Touches.Moment) {
    touches?.close(moment)
    if touches?.isEmpty == true { touches = nil }
  }

  /// Compares rows that have come with what was asked: a source that contradicts it is shown as it is, and said to be wrong.
  private func noteContradiction(in rows: [RowPage.Row], leaf: Int) {
    let check = PageCheck(table.schema, query, section: loading.path(ofLeaf: leaf))
    guard let fault = check.fault(in: rows) else { return }
    table.noteContradiction(fault.words(table.schema))
  }

  // MARK: What the source is asked

  /// The content that pages are loaded into.
  var loading: WindowedContent { next ?? shown }

  /// What the source is to be told; `nil` when the item is of no use any more.
  func request(for item: PageItem, id: PageRequestID) -> PageRequest? {
    guard item.generation == loading.generation else { return nil }
    if item.place == .sections {
      return PageRequest(id: id, query: query, section: [], what: .sections(limit: table.limits.windowedSections))
    }
    guard let what = loading.request(for: item) else { return nil }
    return PageRequest(id: id, query: query, section: loading.path(ofLeaf: item.leaf), what: what)
  }

  /// Takes rows. The result is whether they show that the source's data has changed since others came; or why they cannot be.
  func take(_ item: PageItem, _ page: RowPage, at tick: UInt64) -> Result<Bool, PageFault> {
    guard item.generation == loading.generation else { return .success(false) }
    guard page.rows.count <= table.limits.pageRows else {
      return .failure(
        PageFault(reason: "the source gave \(page.rows.count) rows where \(table.limits.pageRows) were asked for"))
    }
    for cursor in [page.begin, page.end].compactMap(\.self)
    where cursor.text.string.utf8.count > table.limits.cursorBytes {
      return .failure(
        PageFault(
          reason:
            "the source's cursor has \(cursor.text.string.utf8.count) bytes, more than \(table.limits.cursorBytes)"))
    }
    if let count = page.count, !(0...PageRequest.greatestCount).contains(count) {
      return .failure(PageFault(reason: "the source counts \(count) rows"))
    }
    let commit = table.commit
    let (slots, bytes) = table.keep(page.rows)
    holds.hold(slots.filter(KeptPage.isRow))
    if let touches {
      for slot in slots where KeptPage.isRow(slot) && table.hasChanged(slot, since: commit) && contains(slot) {
        touches.note(slot)
      }
    }
    noteContradiction(in: page.rows, leaf: item.leaf)
    var lost: [UInt32] = []
    let result = loading.take(item, KeptPage(slots: slots, bytes: bytes, used: tick), page, lost: &lost)
    if case .failure = result { lost = slots.filter(KeptPage.isRow) }
    holds.release(lost)
    version += 1
    return result
  }

  /// Takes the sections that there are. The result is what is wrong with them.
  func take(_ item: PageItem, _ counts: [SectionCount]) -> PageFault? {
    guard item.generation == loading.generation, item.place == .sections, !loading.hasSections else { return nil }
    if let fault = fault(counts) { return fault }
    let former = shown
    let formerMaps = next == nil ? [:] : former.maps
    var room = PageRequest.greatestCount
    loading.take(
      counts, root: Section(number: 0, level: -1, value: .null, parent: nil),
      key: { level, value in table.columns[query.group[level]].collationKey(of: value) },
      make: { path, key, parent in
        let known = former.section(at: path)
        let section = Section(
          number: known?.number ?? takeSectionNumber(), level: parent.level + 1, value: path[path.count - 1],
          sortKey: key, parent: parent)
        if let known { (section.revision, section.announcedCount) = (known.revision, known.announcedCount) }
        return section
      },
      map: { count in
        // A renewed map keeps its segments, however few rows the source counts now: all of them together must stay countable.
        if let map = formerMaps[count.values]?.renewed(count: count.count), map.extent <= room {
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

  private func fault(_ counts: [SectionCount]) -> PageFault? {
    guard counts.count <= table.limits.windowedSections else {
      return PageFault(
        reason: "the source has more than \(table.limits.windowedSections) sections, which is the limit")
    }
    var paths: Set<[Cell]> = []
    var total = 0
    for reported in counts {
      guard reported.values.count == groups.count,
        zip(reported.values, groups).allSatisfy({ $0 == .null || $0.type == $1.type })
      else { return PageFault(reason: "a section of the source has values that its columns cannot have") }
      guard (0...PageRequest.greatestCount).contains(reported.count) else {
        return PageFault(reason: "the source counts \(reported.count) rows in a section")
      }
      total += reported.count  // bounded: both are within greatestCount
      guard total <= PageRequest.greatestCount else {
        return PageFault(reason: "the source counts more than \(PageRequest.greatestCount) rows in its sections")
      }
      guard paths.insert(reported.values).inserted else { return PageFault(reason: "the source names a section twice") }
    }
    return nil
  }

  /// A reader wants to see so many rows.
  func expect(_ count: Int) {
    guard !shown.isAnswered else { return }
    shown.expect(count)
    version += 1
  }

  /// Something could not be loaded.
  func fail(_ item: PageItem, _ failure: PageFailure) {
    guard item.generation == loading.generation else { return }
    loading.fail(item, failure)
    version += 1
  }

  // MARK: When the source's data changes

  /// Everything is to be asked for again. The old content is shown until ``showNext()``.
  func renew() {
    (isStale, owed) = (false, nil)
    generation += 1
    guard viewers == 0 else {
      next = empty()
      return
    }
    // Nobody sees it: who comes next is to see nothing old.
    release(shown)
    shown = empty()
    isOutOfPatience = false
    structure += 1
  }

  /// Whether everything may be asked for again: what was asked for before is shown first, so that it is shown at all however often the
  /// source changes.
  var canRenew: Bool { next == nil && (shown.isAnswered || viewers == 0) }

  private func empty() -> WindowedContent {
    let size = table.limits.pageRows
    guard query.group.isEmpty else { return WindowedContent(generation: generation, size: size, map: nil) }
    let map = shown.maps[[]]?.renewed(count: nil) ?? Self.map(capabilities, size: size, count: nil)
    return WindowedContent(generation: generation, size: size, map: map)
  }

  /// The new content takes the place of the old one.
  func showNext() {
    guard let next else { return }
    // A commit of its own: what came is newer than what any page was sent.
    table.apply(Changeset())
    let (gone, come) = (shown.strangers(to: next), next.strangers(to: shown))
    noteMoves(gone: gone.map { table.id(of: $0) }, come: come.map { table.id(of: $0) })
    for slot in gone + come { touches?.note(slot) }
    for slot in gone { touches?.forget(slot) }
    release(shown)
    shown = next
    self.next = nil
    version += 1
    structure += 1
  }

  /// Remembers why rows came and went, for as long as a page may be that far behind; not of more rows than are kept.
  private func noteMoves(gone: [RowID], come: [RowID]) {
    if departures.count + gone.count > table.limits.cachedRows { departures = [] }
    if arrivals.count + come.count > table.limits.cachedRows { arrivals = [:] }
    departures.subtract(come)
    departures.formUnion(gone)
    for row in gone { arrivals[row] = nil }
    for row in come { arrivals[row] = table.commit }
  }

  /// Nobody looks any more: its rows are let go.
  func close() {
    release(shown)
    if let next { release(next) }
  }

  private func release(_ content: WindowedContent) {
    var lost: [UInt32] = []
    for (leaf, page, _) in content.pages { lost += content.evict(leaf: leaf, page: page) }
    holds.release(lost)
  }

  /// Forgets a page.
  func evict(_ content: WindowedContent, leaf: Int, page: Int) {
    holds.release(content.evict(leaf: leaf, page: page))
    version += 1
  }
}

extension PageRequest {
  /// No source counts more rows, in all sections together. What the engine adds up stays below 2^54.
  static let greatestCount = 1 << 52
}

extension Cell {
  /// What kind of column holds such a value; `nil` for empty ones.
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
