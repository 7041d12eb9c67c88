import ListEngine

/// A windowed source with scripted delays, failures and missing answers.
///
///     var source = ScriptedWindowedSource(schema)
///     source.upsert(.integer(1), [.integer(1), .text("one")])
///     source.take(output, at: now) { request in .init(after: .seconds(1)) }
///     for input in source.answers(until: now, table) { engine.handle(input, at: now) }
///
/// Its answers are those of a ``PlainTable`` with the same rows at that moment. It tracks the
/// engine's protocol errors: unsupported queries, duplicate requests, or too many requests.
public struct ScriptedWindowedSource: Sendable {
  /// The outcome of a request.
  public enum End: Sendable {
    /// The request returns the rows at that time.
    case answers
    /// The request fails with this reason.
    case fails(String)
    /// The request never ends.
    case isForgotten
  }

  /// The scripted behavior of one request.
  public struct Plan: Sendable {
    var delay: Duration
    var end: End
    var answersAfterCancel: Bool

    /// Creates a plan with a delay and an outcome. A cancelled request does not answer unless
    /// `answersAfterCancel`.
    public init(after delay: Duration = .zero, _ end: End = .answers, answersAfterCancel: Bool = false) {
      self.delay = delay
      self.end = end
      self.answersAfterCancel = answersAfterCancel
    }
  }

  private struct Row {
    var key: RowKey
    var cells: [Cell]
    /// The position in the source's own order.
    var label: Double
    /// Whether the row represents a cursor.
    var isMark = false
  }

  private struct Job {
    var request: BlockRequest
    var due: Instant
    var plan: Plan
    var isCancelled = false
  }

  /// The schema of its table.
  public let schema: Schema
  /// The query capabilities.
  public let capabilities: WindowedCapabilities
  /// The ratio of estimated to exact counts in percent.
  public var estimate = 100
  /// Whether the rows are still being counted: an exact source then estimates.
  public var isCounting = false
  private var rows: [Row] = []
  private var lastLabel = 0.0
  /// The rows that cursors were created from, at that time.
  private var cursors: [BlockCursor: Row] = [:]
  private var jobs: [Job] = []
  /// The requests that are neither cancelled nor answered.
  public private(set) var inFlight: [BlockRequestID: BlockRequest] = [:]
  /// All requests in order.
  public private(set) var requests: [BlockRequest] = []
  /// All cancelled requests in order.
  public private(set) var cancels: [BlockRequestID] = []
  /// The engine's protocol errors.
  public private(set) var mistakes: [String] = []

  /// Creates a source without rows.
  ///
  /// - Precondition: The schema has windowed capabilities.
  public init(_ schema: Schema) {
    guard let capabilities = schema.windowed else { preconditionFailure("“\(schema.name)” is not a windowed table") }
    self.schema = schema
    self.capabilities = capabilities
  }

  // MARK: Rows

  /// The number of rows.
  public var count: Int { rows.count }
  /// The keys of the rows in the source's own order.
  public var keys: [RowKey] { rows.map(\.key) }

  /// Inserts or replaces a row; a new row is inserted at `place`, or at the end.
  public mutating func upsert(_ key: RowKey, _ cells: [Cell], at place: Int? = nil) {
    if let known = rows.firstIndex(where: { $0.key == key }) {
      rows[known].cells = cells
    } else if let place, place < rows.count {
      let before = place > 0 ? rows[place - 1].label : rows[0].label - 2
      rows.insert(Row(key: key, cells: cells, label: (before + rows[place].label) / 2), at: place)
    } else {
      lastLabel = max(lastLabel, rows.last?.label ?? 0) + 1
      rows.append(Row(key: key, cells: cells, label: lastLabel))
    }
  }

  /// Deletes a row.
  public mutating func delete(_ key: RowKey) { rows.removeAll { $0.key == key } }

  /// Deletes all rows.
  public mutating func deleteAll() { rows = [] }

  /// The same rows in a plain table.
  public var plain: PlainTable {
    PlainTable(schema, rows: rows.map { PlainTable.Row(key: $0.key, cells: $0.cells) })
  }

  // MARK: Requests

  /// Processes the engine's requests and cancellations; other outputs are ignored.
  public mutating func take(_ output: Output, at now: Instant, plan: (BlockRequest) -> Plan) {
    switch output {
    case .ask(_, let requested):
      for request in requested {
        check(request)
        inFlight[request.id] = request
        requests.append(request)
        let plan = plan(request)
        // Without cancellation the source keeps no request that it will not answer. The engine
        // drops the request at its timeout.
        if case .isForgotten = plan.end, !capabilities.cancels { inFlight[request.id] = nil }
        jobs.append(Job(request: request, due: now.advanced(by: plan.delay), plan: plan))
      }
      // A source without cancellation may have one more pending request, for an export.
      let isFull = capabilities.cancels || !inFlight.keys.contains(where: \.isForExport)
      let bound = schema.prefetch.inFlight + (isFull ? 0 : 1)
      if inFlight.count > bound { mistakes.append("\(inFlight.count) requests are in flight; \(bound) may be") }
    case .cancelBlocks(_, let ids):
      if !capabilities.cancels { mistakes.append("\(ids) are cancelled, though it cannot") }
      for id in ids {
        if inFlight.removeValue(forKey: id) == nil { mistakes.append("\(id) is cancelled, but not in flight") }
        cancels.append(id)
        for index in jobs.indices where jobs[index].request.id == id { jobs[index].isCancelled = true }
      }
      jobs.removeAll { $0.isCancelled && !$0.plan.answersAfterCancel }
    default: break
    }
  }

  private mutating func check(_ request: BlockRequest) {
    let query = request.query
    func complain(_ what: String) { mistakes.append("it is asked \(what): \(request)") }
    if inFlight[request.id] != nil || requests.contains(where: { $0.id == request.id }) { complain("twice") }
    if !query.aggregates.isEmpty { complain("to aggregate") }
    if !capabilities.searches && !query.search.isEmpty { complain("to search") }
    if let column = query.sort.map(\.column).first(where: { !capabilities.sort.contains($0) }) {
      complain("to sort by \(column)")
    }
    if let column = query.group.first(where: { !capabilities.group.contains($0) }) { complain("to group by \(column)") }
    if let filter = query.filter, !canFilter(filter) { complain("to filter by \(filter)") }
    if request.section.count > query.group.count { complain("for a section that it does not have") }
    guard case .rows(let after, let upTo, let skip, let count) = request.what else {
      if query.group.isEmpty { complain("for sections without grouping") }
      return
    }
    if count < 1 || count > 1_000 { complain("for \(count) rows") }
    if capabilities.paging == .offset && (after != nil || upTo != nil) { complain("for a cursor") }
    if capabilities.paging == .keyset && skip != 0 { complain("to skip") }
    for cursor in [after, upTo].compactMap(\.self) where cursors[cursor] == nil {
      complain("for a cursor it never made")
    }
  }

  private func canFilter(_ filter: Filter<Int>) -> Bool {
    func can(_ power: WindowedCapabilities.FilterOperator, _ column: Int? = nil) -> Bool {
      capabilities.filters.contains(power)
        && (column.map { capabilities.filterColumns?.contains($0) ?? true } ?? true)
    }
    switch filter {
    case .all(let parts): return parts.allSatisfy(canFilter)
    case .any(let parts): return can(.any) && parts.allSatisfy(canFilter)
    case .not(let part): return can(.not) && canFilter(part)
    case .compare(let column, .equal, _): return can(.equal, column)
    case .compare(let column, .notEqual, _): return can(.notEqual, column)
    case .compare(let column, _, _): return can(.order, column)
    case .range(let column, _, _): return can(.range, column)
    case .contains(let column, _): return can(.contains, column)
    case .startsWith(let column, _): return can(.startsWith, column)
    case .matches(let column, _, _): return can(.matches, column)
    case .oneOf(let column, _): return can(.oneOf, column)
    case .age: return false
    case .isEmpty(let column): return can(.isEmpty, column)
    }
  }

  // MARK: Answers

  /// The time of the next answer; `nil` if there is none.
  public var deadline: Instant? {
    jobs.lazy.filter { if case .isForgotten = $0.plan.end { false } else { true } }.map(\.due).min()
  }

  /// Returns the answers due by now, earliest first.
  public mutating func answers(until now: Instant, _ table: TableID) -> [Input] {
    let due = jobs.enumerated().filter { $1.due <= now }.sorted {
      ($0.element.due, $0.offset) < ($1.element.due, $1.offset)
    }
    jobs.removeAll { $0.due <= now }
    var inputs: [Input] = []
    for (_, job) in due {
      if case .isForgotten = job.plan.end { continue }
      inFlight[job.request.id] = nil
      if case .fails(let reason) = job.plan.end {
        inputs.append(.pageFailed(table, job.request.id, reason: reason))
      } else if case .sections = job.request.what {
        inputs.append(.sections(table, job.request.id, sections(job.request)))
      } else {
        inputs.append(.page(table, job.request.id, block(job.request)))
      }
    }
    return inputs
  }

  /// Returns a count with the source's accuracy.
  private func reported(_ count: Int) -> Int? {
    switch capabilities.count {
    case .exact: isCounting ? count * estimate / 100 : count
    case .estimated: count * estimate / 100
    case .unknown: nil
    }
  }

  private func sections(_ request: BlockRequest) -> [SectionCount] {
    var query = request.query
    query.sort = []
    var counts: [SectionCount] = []
    var path: [Cell] = []
    for case .header(let value, let count, let level, _, _) in plain.lines(query) {
      path = path.prefix(level) + [value]
      if level == query.group.count - 1 {
        counts.append(SectionCount(path, count: capabilities.count == .exact ? count : reported(count) ?? count))
      }
    }
    // The contract specifies no order, so the order is reversed.
    return counts.reversed()
  }

  private mutating func block(_ request: BlockRequest) -> RowBlock {
    guard case .rows(let after, let upTo, let skip, let count) = request.what else {
      preconditionFailure("\(request) asks for no rows")
    }
    let all = ordered(request, marks: [])
    let between = ordered(request, marks: [after, upTo].compactMap(\.self))
    // A cursor is positioned directly after its row, which may have been deleted.
    var inside: [Row] = []
    var isInside = after == nil
    var marks = after == nil ? 1 : 0
    for row in between {
      if row.isMark {
        isInside = marks == 0
        marks += 1
      } else if isInside {
        inside.append(row)
      }
    }
    let rest = inside.dropFirst(skip)
    let rows = Array(rest.prefix(count))
    var block = RowBlock(rows.map { ($0.key, $0.cells) }, hasMore: rest.count > count, count: reported(all.count))
    block.isCountEstimated = isCounting && capabilities.count == .exact
    guard capabilities.paging != .offset else { return block }
    if skip > 0 && skip <= inside.count { block.begin = cursor(inside[skip - 1]) }
    block.end = rows.last.map { cursor($0) }
    return block
  }

  private mutating func cursor(_ row: Row) -> BlockCursor {
    let cursor = BlockCursor("cursor \(cursors.count)")
    cursors[cursor] = row
    return cursor
  }

  /// Returns the rows of a request in order, with marks at the positions of cursors.
  private func ordered(_ request: BlockRequest, marks: [BlockCursor]) -> [Row] {
    var columns = schema
    columns.columns.append(Column("index of the row", .integer))
    var listed = rows
    for mark in marks {
      guard var row = cursors[mark] else { preconditionFailure("\(mark) was never made") }
      row.label += 1e-9
      row.isMark = true
      listed.append(row)
    }
    listed.sort { ($0.label, $0.isMark ? 1 : 0) < ($1.label, $1.isMark ? 1 : 0) }
    let plain = PlainTable(
      columns,
      rows: listed.enumerated().map {
        PlainTable.Row(key: .integer(Int64($0)), cells: $1.cells + [.integer(Int64($0))])
      })
    var query = Query(sort: request.query.sort, search: request.query.search)
    let section = zip(request.query.group, request.section).map { column, value -> Filter<Int> in
      value == .null ? .isEmpty(column) : .compare(column, .equal, value)
    }
    query.filter = .all((request.query.filter.map { [$0] } ?? []) + section)
    return plain.lines(query).compactMap {
      guard case .row(let cells) = $0, case .integer(let index)? = cells.last else { return nil }
      return listed[Int(index)]
    }
  }
}
