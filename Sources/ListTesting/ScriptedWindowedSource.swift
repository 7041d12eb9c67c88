import ListEngine

/// A source that keeps its rows and answers queries: slowly, wrongly, not at all, and after it was told to stop, as it is told.
///
///     var source = ScriptedWindowedSource(schema)
///     source.upsert(.integer(1), [.integer(1), .text("one")])
///     source.take(output, at: now) { request in .init(after: .seconds(1)) }
///     for input in source.answers(until: now, table) { engine.handle(input, at: now) }
///
/// What it answers is what a ``PlainTable`` of its rows shows at that moment. It keeps book of everything that the engine asks and must
/// not: what it cannot do, twice at once, more than its bound.
public struct ScriptedWindowedSource: Sendable {
  /// How an answer ends.
  public enum End: Sendable {
    /// With what is true then.
    case answers
    /// With this reason.
    case fails(String)
    /// Never.
    case isForgotten
  }

  /// What becomes of one request.
  public struct Plan: Sendable {
    var delay: Duration
    var end: End
    var answersAfterCancel: Bool

    /// It ends so after this time; when it is cancelled before, it does not end at all unless it `answersAfterCancel`.
    public init(after delay: Duration = .zero, _ end: End = .answers, answersAfterCancel: Bool = false) {
      self.delay = delay
      self.end = end
      self.answersAfterCancel = answersAfterCancel
    }
  }

  private struct Row {
    var key: RowKey
    var cells: [Cell]
    /// Its place in the source's own order.
    var label: Double
    /// Whether it stands for a cursor that was made of it.
    var isMark = false
  }

  private struct Job {
    var request: PageRequest
    var due: Instant
    var plan: Plan
    var isCancelled = false
  }

  /// Its columns, and what it can do.
  public let schema: Schema
  /// What it can do.
  public let capabilities: WindowedCapabilities
  /// How far its estimates are from the truth, in percent.
  public var estimate = 100
  private var rows: [Row] = []
  private var lastLabel = 0.0
  /// The rows that cursors were made of, as they were.
  private var cursors: [PageCursor: Row] = [:]
  private var jobs: [Job] = []
  /// What the engine has asked for, and neither cancelled nor been answered.
  public private(set) var inFlight: [PageRequestID: PageRequest] = [:]
  /// Everything that was asked for, in order.
  public private(set) var requests: [PageRequest] = []
  /// Everything that was cancelled, in order.
  public private(set) var cancels: [PageRequestID] = []
  /// What the engine did that it must not.
  public private(set) var mistakes: [String] = []

  /// A source without rows.
  ///
  /// - Precondition: The schema is a windowed table's.
  public init(_ schema: Schema) {
    guard let capabilities = schema.windowed else { preconditionFailure("“\(schema.name)” is no windowed table") }
    self.schema = schema
    self.capabilities = capabilities
  }

  // MARK: Its rows

  /// How many rows it has.
  public var count: Int { rows.count }
  /// The keys of its rows, in its own order.
  public var keys: [RowKey] { rows.map(\.key) }

  /// A row; a new one before the row that stands at this place, or at the end.
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

  /// The row goes.
  public mutating func delete(_ key: RowKey) { rows.removeAll { $0.key == key } }

  /// All rows go.
  public mutating func deleteAll() { rows = [] }

  /// Its rows as anyone would write them down.
  public var plain: PlainTable {
    PlainTable(schema, rows: rows.map { PlainTable.Row(key: $0.key, cells: $0.cells) })
  }

  // MARK: What it is asked

  /// Takes what the engine wants of it; other outputs are ignored.
  public mutating func take(_ output: Output, at now: Instant, plan: (PageRequest) -> Plan) {
    switch output {
    case .ask(_, let asked):
      for request in asked {
        check(request)
        inFlight[request.id] = request
        requests.append(request)
        let plan = plan(request)
        // It cannot be told that nobody waits any more, and will not answer: for the engine that ends when its patience does.
        if case .isForgotten = plan.end, !capabilities.cancels { inFlight[request.id] = nil }
        jobs.append(Job(request: request, due: now.advanced(by: plan.delay), plan: plan))
      }
      // One that cannot be told to stop may have one more, for who takes the table away.
      let isFull = capabilities.cancels || !inFlight.keys.contains(where: \.isForExport)
      let bound = schema.prefetch.inFlight + (isFull ? 0 : 1)
      if inFlight.count > bound { mistakes.append("\(inFlight.count) requests are in flight; \(bound) may be") }
    case .cancelPages(_, let ids):
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

  private mutating func check(_ request: PageRequest) {
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
    case .isEmpty(let column): return can(.isEmpty, column)
    }
  }

  // MARK: What it answers

  /// When it has something to say next; `nil` when it has not.
  public var deadline: Instant? {
    jobs.lazy.filter { if case .isForgotten = $0.plan.end { false } else { true } }.map(\.due).min()
  }

  /// What it has to say by now, the earliest first.
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
        inputs.append(.page(table, job.request.id, page(job.request)))
      }
    }
    return inputs
  }

  /// What it knows of a count.
  private func told(_ count: Int) -> Int? {
    switch capabilities.count {
    case .exact: count
    case .estimated: count * estimate / 100
    case .unknown: nil
    }
  }

  private func sections(_ request: PageRequest) -> [SectionCount] {
    var query = request.query
    query.sort = []
    var counts: [SectionCount] = []
    var path: [Cell] = []
    for case .header(let value, let count, let level, _, _) in plain.lines(query) {
      path = path.prefix(level) + [value]
      if level == query.group.count - 1 { counts.append(SectionCount(path, count: told(count) ?? count)) }
    }
    // In no order.
    return counts.reversed()
  }

  private mutating func page(_ request: PageRequest) -> RowPage {
    guard case .rows(let after, let upTo, let skip, let count) = request.what else {
      preconditionFailure("\(request) asks for no rows")
    }
    let all = ordered(request, marks: [])
    let between = ordered(request, marks: [after, upTo].compactMap(\.self))
    // A cursor stands among the rows directly behind the row that it was made of, which may be gone.
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
    var page = RowPage(rows.map { ($0.key, $0.cells) }, hasMore: rest.count > count, count: told(all.count))
    guard capabilities.paging != .offset else { return page }
    if skip > 0 && skip <= inside.count { page.begin = cursor(inside[skip - 1]) }
    page.end = rows.last.map { cursor($0) }
    return page
  }

  private mutating func cursor(_ row: Row) -> PageCursor {
    let cursor = PageCursor("cursor \(cursors.count)")
    cursors[cursor] = row
    return cursor
  }

  /// The rows of a request in order; with them, as rows that are none, the places of cursors.
  private func ordered(_ request: PageRequest, marks: [PageCursor]) -> [Row] {
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
