/// A view of a windowed table that is read from its first row to its last, page after page as its source gives them.
///
/// What it promises: the rows of the query in its order, as the source has them when it is asked for the page in which they lie. Where the
/// source gives cursors each row that is there all the time, and keeps its place, comes exactly once, whatever comes and goes around it. By
/// offset that holds as long as no rows come or go above; those that do make one come twice, or not at all.
///
/// What the source cannot do of the query is done as for pages, with all rows that are left, if they are few enough; then the order is that
/// of the moment when the last of them came.
///
/// It holds two pages at most, however slowly it is read: one that is being read, and the next. It keeps nothing in its table, and tells
/// nobody what it learns of its source: what pages are sent does not depend on who takes a table away.
final class WindowedExport: RowExport {
  /// Rows that have come and were not read.
  private struct Piece {
    var table: Table
    var slots: ArraySlice<UInt32>
  }

  let number: UInt64
  private let split: QuerySplit
  private let table: Table
  private let capabilities: WindowedCapabilities
  /// An empty table's, for rows that come: what a windowed one keeps and how much of it is no matter here.
  private let schema: Schema
  private var pieces: [Piece] = []
  /// How many rows have come, and where the last of them ends.
  private var loaded = 0
  private var cursor: PageCursor?
  private var isLoaded = false
  /// Rows with which the engine does what the source cannot, and what comes of it.
  private var gathered: Table?
  private var rest: TableExport?
  /// Why there will be no more rows.
  private var ending: ExportSlice?
  /// About how many bytes a row has; `nil` when that is not known, or what was asked for because of it has failed.
  private var rowBytes: Int?
  private var failures = 0
  /// When the page that has failed was first asked for.
  private var failingSince: Instant?
  /// When the source is asked for it again.
  private(set) var retryAt: Instant?
  /// How many rows did not fit, or were named twice in a page.
  private(set) var leftOut = 0

  /// How many pages are held that were not read.
  private static let greatestPieceCount = 2
  /// About how many bytes of rows are asked for at once, so that no source has to say too much in one line.
  private static let pageBytes = 1 << 18

  init(_ number: UInt64, _ query: Query, of table: Table, capabilities: WindowedCapabilities) {
    (self.number, self.table, self.capabilities) = (number, table, capabilities)
    split = QuerySplit(Self.flat(query), table.schema, capabilities)
    var schema = table.schema
    (schema.windowed, schema.limits, schema.retention) = (nil, TableLimits(), .everything)
    self.schema = schema
    if split.rest != nil { gathered = table.another(schema, ids: .zero) }
  }

  /// The query that gives the same rows in the same order without headers: sections stand in ascending order of their values.
  private static func flat(_ query: Query) -> Query {
    var flat = query
    flat.sort = query.group.map { SortTerm($0) } + query.sort.filter { !query.group.contains($0.column) }
    (flat.group, flat.aggregates) = ([], [])
    return flat
  }

  // MARK: Reading

  var isReady: Bool { rest?.isReady ?? (ending != nil || !pieces.isEmpty || (isLoaded && gathered == nil)) }
  var isBuilding: Bool { rest?.isBuilding ?? false }
  // Its own table is nobody else's: nothing is told to it any more when it is read.
  var logPosition: Int? { nil }
  var backlog: Int { 0 }
  func work() { rest?.work() }

  func read(_ count: Int) -> ExportSlice {
    if let rest { return rest.read(count) }
    guard var piece = pieces.first else { return ending ?? (isLoaded && gathered == nil ? .end : .notYet) }
    let slots = piece.slots.prefix(count)
    piece.slots = piece.slots.dropFirst(count)
    if piece.slots.isEmpty { pieces.removeFirst() } else { pieces[0] = piece }
    return .rows(slots.map { slot in piece.table.columns.map { $0.cell(slot) } })
  }

  // MARK: What the source is asked

  /// The rows to ask for next; `nil` when there are none, or enough that were not read.
  var wish: (query: Query, what: PageRequest.What)? {
    guard !isLoaded, ending == nil, pieces.count < Self.greatestPieceCount else { return nil }
    let skip = capabilities.paging == .offset ? loaded : 0
    return (split.source, .rows(after: cursor, upTo: nil, skip: skip, count: greatestCount))
  }

  /// How many rows to ask for: as many as pages ask for until it is known how large they are, and again when that was too much at once.
  private var greatestCount: Int {
    let limits = table.limits
    let count = rowBytes.map { max(limits.pageRows, Self.pageBytes / max($0, 1)) } ?? limits.pageRows
    return min(count, limits.remainderPageRows, gathered == nil ? .max : limits.remainderRows + 1 - loaded)
  }

  /// Notes about how large the rows are that came; those to come are taken to be as large as the largest so far.
  private func note(_ bytes: Int, of rows: Int) {
    if rows > 0 { rowBytes = max(rowBytes ?? 0, bytes / rows) }
  }

  /// Takes the rows that were wished. The result is what is wrong with them.
  func take(_ answer: RowPage) -> PageFault? {
    if let fault = fault(answer) { return fault }
    (failures, failingSince, retryAt) = (0, nil, nil)
    if let gathered { return gather(answer, into: gathered) }
    let scratch = table.another(schema, ids: .zero)
    let (kept, bytes) = scratch.keep(answer.rows)
    note(bytes, of: kept.count)
    let slots = kept.filter(KeptPage.isRow)
    leftOut += answer.rows.count - slots.count
    if !slots.isEmpty { pieces.append(Piece(table: scratch, slots: slots[...])) }
    goOn(answer)
    return nil
  }

  private func goOn(_ answer: RowPage) {
    loaded += answer.rows.count
    cursor = answer.end
    isLoaded = !answer.hasMore
  }

  private func fault(_ answer: RowPage) -> PageFault? {
    guard answer.rows.count <= greatestCount else {
      return PageFault(reason: "the source gave \(answer.rows.count) rows where \(greatestCount) were asked for")
    }
    guard answer.hasMore else { return nil }
    guard capabilities.paging != .offset else {
      // What it left out would be missing without a word.
      return answer.rows.count == greatestCount
        ? nil : PageFault(reason: "the source gave \(answer.rows.count) rows, though more follow")
    }
    guard !answer.rows.isEmpty, let end = answer.end else {
      return PageFault(reason: "the source says that more rows follow, and not where")
    }
    guard end.text.string.utf8.count <= table.limits.cursorBytes else {
      return PageFault(
        reason: "the source's cursor has \(end.text.string.utf8.count) bytes, more than \(table.limits.cursorBytes)")
    }
    return end == cursor ? PageFault(reason: "the source's rows end where they began") : nil
  }

  /// Takes rows for what the source cannot do, or refuses them.
  private func gather(_ answer: RowPage, into gathered: Table) -> PageFault? {
    let limit = table.limits.remainderRows
    if capabilities.count == .exact, let count = answer.count, count > limit { return refuse(count, isExact: true) }
    let total = loaded + answer.rows.count
    guard total <= limit, !(total == limit && answer.hasMore) else { return refuse(limit, isExact: false) }
    var changes = Changeset()
    for (key, cells) in answer.rows { changes.upsert(key, cells) }
    gathered.apply(changes)
    note(changes.byteCount, of: answer.rows.count)
    goOn(answer)
    guard isLoaded, let query = split.rest else { return nil }
    leftOut = Int(clamping: gathered.rejected)
    rest = TableExport(number, of: gathered, query: query)
    return nil
  }

  private func refuse(_ count: Int, isExact: Bool) -> PageFault? {
    ending = .refused(
      .remainderTooLarge(split.refusal(count, isExact: isExact, limit: table.limits.remainderRows)))
    gathered = nil
    return nil
  }

  /// The source did not give the rows that were wished, of which it was first asked then if never before: it is asked again after a pause, as
  /// one is for pages, until ``Limits/exportPatience`` is at its end.
  func fail(_ reason: String, askedAt: Instant, at now: Instant) {
    failures += 1
    rowBytes = nil
    let since = failingSince ?? askedAt
    failingSince = since
    guard since.duration(to: now) < table.limits.exportPatience else {
      ending = .failed(String(reason.prefix(table.limits.reason)))
      return
    }
    typealias Queue = PrefetchQueue<PageItem>
    retryAt = now.advanced(by: min(Queue.firstPause * (1 << min(failures - 1, 10)), Queue.longestPause))
  }
}
