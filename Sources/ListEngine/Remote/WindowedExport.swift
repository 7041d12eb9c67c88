/// An export of a windowed table, read block by block from its source.
///
/// It returns the rows of the query in order, each block as it is when requested. With cursors,
/// each row that exists throughout and keeps its position is returned exactly once. With offsets, a
/// row inserted or deleted above causes another row to be returned twice or not at all.
///
/// A residual query is evaluated on all rows of the source query, if they are few enough. The order
/// is then that of the moment when the last row arrived.
///
/// It holds at most two blocks: the one being read and the next one. It neither changes the table
/// nor reports row counts, so that exports do not affect what clients are sent.
final class WindowedExport: RowExport {
  /// Rows received and not read yet.
  private struct Piece {
    var table: Table
    var slots: ArraySlice<UInt32>
  }

  let number: UInt64
  private let split: QuerySplit
  /// The time of day of the export.
  private let wall: WallTime
  private let table: Table
  private let capabilities: WindowedCapabilities
  /// The schema of tables for received rows; a windowed table's limits do not apply to them.
  private let schema: Schema
  private var pieces: [Piece] = []
  /// The number of rows received, and the cursor at the end of the last one.
  private var loaded = 0
  private var cursor: BlockCursor?
  private var isLoaded = false
  /// The rows on which the engine evaluates the residual query, and the export of its result.
  private var gathered: Table?
  private var rest: TableExport?
  /// The final result, after which no rows follow.
  private var ending: ExportSlice?
  /// The approximate size of a row in bytes, or `nil` if it is unknown or a block of that size
  /// failed.
  private var rowBytes: Int?
  private var failures = 0
  /// The time of the first request for the block that failed.
  private var failingSince: Instant?
  /// The time at which the block is requested again.
  private(set) var retryAt: Instant?
  /// The number of rows left out because they did not match the schema or repeated a key.
  private(set) var leftOut = 0

  /// The maximum number of unread blocks.
  private static let greatestPieceCount = 2
  /// The approximate size in bytes of a requested block, to limit the length of a source's answer.
  private static let blockBytes = 1 << 18

  init(_ number: UInt64, _ query: Query, of table: Table, capabilities: WindowedCapabilities, wall: WallTime) {
    (self.number, self.table, self.capabilities, self.wall) = (number, table, capabilities, wall)
    split = QuerySplit(Self.flat(query), table.schema, capabilities)
    var schema = table.schema
    (schema.windowed, schema.limits, schema.retention) = (nil, TableLimits(), .everything)
    self.schema = schema
    if split.rest != nil { gathered = table.another(schema, ids: .zero) }
  }

  /// Returns a query with the same rows and order without sections, which are sorted by their
  /// values.
  ///
  /// Sections of ranges remain, because their rows are in the order of the query.
  private static func flat(_ query: Query) -> Query {
    var flat = query
    (flat.aggregates, flat.sections) = ([], [])
    guard query.groupings.allSatisfy({ $0.ranges == nil }) else { return flat }
    flat.sort = query.group.map { SortTerm($0) } + query.sort.filter { !query.group.contains($0.column) }
    flat.groupings = []
    return flat
  }

  // MARK: Reading

  var isReady: Bool { rest?.isReady ?? (ending != nil || !pieces.isEmpty || (isLoaded && gathered == nil)) }
  var isBuilding: Bool { rest?.isBuilding ?? false }
  // The export's own table gets no changes while it is read.
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

  // MARK: Requests

  /// The next rows to request, or `nil` if there are none or enough rows are unread.
  var wantedRows: (query: Query, what: BlockRequest.What)? {
    guard !isLoaded, ending == nil, pieces.count < Self.greatestPieceCount else { return nil }
    let skip = capabilities.paging == .offset ? loaded : 0
    return (split.source, .rows(after: cursor, upTo: nil, skip: skip, count: greatestCount))
  }

  /// The number of rows to request.
  ///
  /// Until the row size is known, and again after a failure, it is the usual block size.
  private var greatestCount: Int {
    let limits = table.limits
    let count = rowBytes.map { max(limits.pageRows, Self.blockBytes / max($0, 1)) } ?? limits.pageRows
    return min(count, limits.remainderPageRows, gathered == nil ? .max : limits.remainderRows + 1 - loaded)
  }

  /// Records the size of received rows; later rows are assumed to be as large as the largest so
  /// far.
  private func note(_ bytes: Int, of rows: Int) {
    if rows > 0 { rowBytes = max(rowBytes ?? 0, bytes / rows) }
  }

  /// Stores the requested rows, or returns the error in them.
  func take(_ answer: RowBlock) -> BlockFault? {
    if let fault = fault(answer) { return fault }
    (failures, failingSince, retryAt) = (0, nil, nil)
    if let gathered { return gather(answer, into: gathered) }
    let scratch = table.another(schema, ids: .zero)
    let (stored, bytes) = scratch.keep(answer.rows)
    note(bytes, of: stored.count)
    let slots = stored.filter(CachedBlock.isRow)
    leftOut += answer.rows.count - slots.count
    if !slots.isEmpty { pieces.append(Piece(table: scratch, slots: slots[...])) }
    goOn(answer)
    return nil
  }

  private func goOn(_ answer: RowBlock) {
    loaded += answer.rows.count
    cursor = answer.end
    isLoaded = !answer.hasMore
  }

  private func fault(_ answer: RowBlock) -> BlockFault? {
    guard answer.rows.count <= greatestCount else {
      return BlockFault(reason: "the source gave \(answer.rows.count) rows where \(greatestCount) were asked for")
    }
    guard answer.hasMore else { return nil }
    guard capabilities.paging != .offset else {
      // Rows left out here would be missing without a report.
      return answer.rows.count == greatestCount
        ? nil : BlockFault(reason: "the source gave \(answer.rows.count) rows, though more follow")
    }
    guard !answer.rows.isEmpty, let end = answer.end else {
      return BlockFault(reason: "the source says that more rows follow, and not where")
    }
    guard end.text.string.utf8.count <= table.limits.cursorBytes else {
      return BlockFault(
        reason: "the source's cursor has \(end.text.string.utf8.count) bytes, more than \(table.limits.cursorBytes)")
    }
    return end == cursor ? BlockFault(reason: "the source's rows end where they began") : nil
  }

  /// Stores rows for the residual query, or refuses the export.
  private func gather(_ answer: RowBlock, into gathered: Table) -> BlockFault? {
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
    rest = TableExport(number, of: gathered, query: query, wall: wall)
    return nil
  }

  private func refuse(_ count: Int, isExact: Bool) -> BlockFault? {
    ending = .refused(
      .remainderTooLarge(split.refusal(count, isExact: isExact, limit: table.limits.remainderRows)))
    gathered = nil
    return nil
  }

  /// Records a failed request.
  ///
  /// The request is repeated after a pause, with the same pauses as other loads, until
  /// ``Limits/exportPatience`` has passed since the first attempt.
  func fail(_ reason: String, requestedAt: Instant, at now: Instant) {
    failures += 1
    rowBytes = nil
    let since = failingSince ?? requestedAt
    failingSince = since
    guard since.duration(to: now) < table.limits.exportPatience else {
      ending = .failed(String(reason.prefix(table.limits.reason)))
      return
    }
    typealias Queue = PrefetchQueue<BlockItem>
    retryAt = now.advanced(by: min(Queue.firstPause * (1 << min(failures - 1, 10)), Queue.longestPause))
  }
}
