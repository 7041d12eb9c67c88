/// The entry point of the module: takes inputs and times, returns outputs and a deadline.
///
///     var engine = Engine(epoch: "5f0c")
///     let table = try engine.addTable(schema, at: now)
///     engine.handle(.changes(table, changes), at: now)
///     for output in engine.advance(to: now) { ... }      // deliver, status, tables, refuse
///     engine.deadline                                     // when to call advance again, or nil
///
/// The engine performs no I/O, reads no clock and uses no random numbers. Equal inputs produce
/// equal outputs.
public struct Engine: ~Copyable {
  /// The identifier of this run of the engine, different after a restart.
  public let epoch: String
  /// Whether row identifiers and revisions are the same in every engine with this epoch.
  ///
  /// Identifiers then follow from the rows' keys, and revisions from what rows show. So a client
  /// that moves between engines with the same rows receives a patch; see ``ClientWindow``. Windowed
  /// tables are excepted.
  public let sharesRowIDs: Bool
  /// The limits in force.
  public private(set) var limits: Limits
  /// The observer of inputs and outputs, if any.
  public var observer: (any EngineObserver)?

  var states: [TableState] = []
  var tableNumbers: [String: Int] = [:]
  private var sessions: [SessionID: Session] = [:]
  /// Sessions whose table does not exist yet, in order of arrival.
  private var waiting: [Session] = []
  /// Sessions whose table was replaced, until their clients open a table again.
  private var left: [SessionID: Session] = [:]
  private var parking: Parking
  private var outputs: [Output] = []
  private let seed: UInt64
  /// The time of day of all tables.
  let wall = WallTime()
  private let collators: CollatorFinder
  /// The number of windows that clients requested because a patch did not apply.
  public private(set) var resyncs: UInt64 = 0

  /// Creates an engine without tables.
  ///
  /// - Parameter collators: Returns the collator for a locale. The default supports no locale.
  public init(
    epoch: String, limits: Limits = Limits(), sharesRowIDs: Bool = false,
    collators: @escaping CollatorFinder = { _, _ in nil }
  ) {
    self.collators = collators
    self.epoch = epoch
    self.sharesRowIDs = sharesRowIDs
    self.limits = limits
    parking = Parking(limit: limits.parkedSessions, time: limits.parkedTime)
    seed = epoch.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  // MARK: Tables

  /// Adds a table.
  ///
  /// - Throws: ``SchemaError`` if the schema is invalid or the name is taken.
  public mutating func addTable(_ schema: Schema, at now: Instant) throws(SchemaError) -> TableID {
    observer?.observe(.table(schema), at: now)
    guard tableNumbers[schema.name] == nil else { throw .repeatedTable(schema.name) }
    wall.follow(now)
    let id = TableID(rawValue: states.count)
    let table = try makeTable(schema)
    let origin = TableHandover(generation: sharesRowIDs ? schema.sharedGeneration(seed: seed) : 0)
    states.append(TableState(table, id: id, after: origin, at: now))
    tableNumbers[schema.name] = id.rawValue
    attachComing(schema.name, at: now)
    outputs.append(.tables(self.tables(at: now)))
    return id
  }

  /// Replaces a table by an empty one, because its source has announced different columns, another
  /// key or another name.
  ///
  /// Sessions of the replaced table are detached. Their clients receive the new list of tables, and
  /// nothing else until they open one. Messages about the replaced table are ignored. Row
  /// identifiers of the replaced table are never reused. Its exports end with
  /// ``ExportSlice/failed(_:)``.
  ///
  /// - Throws: ``SchemaError`` if the schema is invalid; nothing changes then.
  /// - Complexity: O(sessions).
  public mutating func replaceTable(_ id: TableID, with schema: Schema, at now: Instant) throws(SchemaError) {
    observer?.observe(.replacement(id, schema), at: now)
    wall.follow(now)
    let previous = states[id.rawValue]
    let name = previous.table.schema.name
    guard schema.name == name || tableNumbers[schema.name] == nil else { throw .repeatedTable(schema.name) }
    // Check this before any session is detached.
    guard let ids = previous.handover else { throw .tooManyRows(name) }
    let table = try makeTable(schema, ids: RowIDOrigin(number: ids.firstNumber, generation: 0))
    for session in previous.sessions {
      sessions[session.id] = nil
      previous.detach(session, at: now)
      left[session.id] = session
    }
    parking.forget(table: name)
    guard var handover = previous.handover else { preconditionFailure("the ids of \(name) are used up by detaching") }
    if sharesRowIDs {
      handover.generation = schema.sharedGeneration(seed: seed) | handover.generation & Schema.greatestReplacement
    }
    states[id.rawValue] = TableState(table, id: id, after: handover, at: now)
    tableNumbers[name] = nil
    tableNumbers[schema.name] = id.rawValue
    attachComing(schema.name, at: now)
    outputs.append(.tables(self.tables(at: now)))
  }

  /// Attaches the sessions that wait for the table with this name.
  private mutating func attachComing(_ name: String, at now: Instant) {
    let coming = waiting.filter { $0.tableName == name }
    waiting.removeAll { $0.tableName == name }
    for session in coming { attach(session, at: now) }
  }

  private func makeTable(_ schema: Schema, ids: RowIDOrigin = .zero) throws(SchemaError) -> Table {
    guard !schema.name.isEmpty, schema.name.utf8.count <= 200 else { throw .badName(schema.name) }
    guard (1...limits.columns).contains(schema.columns.count) else {
      throw .columnCount(schema.columns.count, limit: limits.columns)
    }
    var names: Set<String> = []
    try check(schema)
    for column in schema.columns where !names.insert(column.name).inserted { throw .repeatedColumn(column.name) }
    if let windowed = schema.windowed {
      if let deferred = schema.columns.first(where: \.isDeferred) { throw .deferredAndWindowed(deferred.name) }
      let named = windowed.sort.union(windowed.group).union(windowed.filterColumns ?? [])
      if let column = named.sorted().first(where: { !schema.columns.indices.contains($0) }) {
        throw .noSuchColumn(column)
      }
    }
    return Table(
      schema, limits: limits, seed: seed, collators: try collators(of: schema), ids: ids,
      sharesIDs: sharesRowIDs && schema.windowed == nil, wall: wall)
  }

  /// Returns the collators of all columns whose collation is not by code unit.
  private func collators(of schema: Schema) throws(SchemaError) -> [Int: any Collator] {
    var found: [Int: any Collator] = [:]
    for (number, column) in schema.columns.enumerated() where column.collation != .codeUnit {
      guard column.type == .text else { throw .noTexts(column: column.name) }
      switch column.collation {
      case .codeUnit: continue
      case .natural: found[number] = NaturalCollator()
      case .locale(let locale, let isNumeric):
        guard let collator = collators(locale, isNumeric) else {
          throw .unknownLocale(locale, column: column.name)
        }
        found[number] = collator
      }
    }
    return found
  }

  /// Throws if the schema's limits, retention or presentation are invalid.
  private func check(_ schema: Schema) throws(SchemaError) {
    for (name, limit) in [("rows", schema.limits.rows), ("bytes", schema.limits.bytes)] {
      if let limit, limit < 1 { throw .badLimit(name, limit) }
    }
    // The rows of a windowed table come and go with what clients look at.
    if schema.windowed != nil, schema.retention != .everything { throw .retentionOfWindowed }
    switch schema.retention {
    case .last(let rows) where rows < 1: throw .badRetention(schema.retention)
    case .recent(let time) where time <= .zero: throw .badRetention(schema.retention)
    default: break
    }
    try schema.checkAudiences()
    try schema.checkDerivations()
    try schema.checkPresentation()
  }

  /// Returns the descriptions of all tables, in the order in which they were added.
  public func tables(at now: Instant) -> [TableDescription] {
    states.map {
      TableDescription(
        schema: $0.table.schema, rows: $0.backend.rowCount, source: $0.status(at: now),
        generation: $0.origin.generation, rowLimit: $0.table.limits.remainderRows)
    }
  }

  /// Returns rejections and contradictions to log since the last call.
  ///
  /// Each reason is reported at its 1st, 10th, 100th, … occurrence. A contradiction is an answer of
  /// a windowed source that does not match the request.
  public func takeNotes(of table: TableID) -> (rejections: [RejectionReason], contradictions: [RejectionReason]) {
    states[table.rawValue].table.takeNotes()
  }

  /// Returns the table with this name.
  public func table(named name: String) -> TableID? { tableNumbers[name].map { TableID(rawValue: $0) } }

  /// The number of state changes of all sources.
  ///
  /// A caller compares it to detect that a list of tables is stale.
  public var statusChanges: UInt64 { states.reduce(0) { $0 &+ $1.source.changes } }

  /// Returns the number of rows of a table that the engine holds.
  public func rows(of table: TableID) -> Int { states[table.rawValue].table.count }

  /// Returns the table that a session has open, if it exists.
  public func openTable(of session: SessionID) -> TableID? {
    (sessions[session] ?? left[session]).flatMap { table(named: $0.tableName) }
  }

  /// Returns a session's view, provided that the client's row identifiers are valid in it.
  func viewWithIDs(_ session: SessionID) -> FoldedView? {
    guard let session = sessions[session], let number = tableNumbers[session.tableName],
      states[number].table.schema.windowed == nil || session.holdsRowsOfView
    else { return nil }
    return session.folded
  }

  /// Returns the load counters of a table's deferred cells, or of a windowed table's blocks.
  public func prefetch(of table: TableID) -> PrefetchCounters { states[table.rawValue].backend.counters }

  /// The totals of the work done for clients.
  ///
  /// - Complexity: O(sessions).
  public var counters: EngineCounters { states.reduce(into: EngineCounters()) { $0 += $1.counters } }

  /// Sets the minimum interval between patches for sessions that request none.
  ///
  /// It applies to tables that sessions open afterwards.
  public mutating func setInterval(_ interval: Duration, at now: Instant) {
    observer?.observe(.interval(interval), at: now)
    limits.interval = interval
  }

  /// The number of sessions that are open and that are parked.
  var sessionCounts: (all: Int, parked: Int) { (sessions.count + left.count, parking.count) }

  // MARK: Inputs

  /// Applies one input.
  ///
  /// An input for an unknown session is ignored.
  ///
  /// - Complexity: O(cells) for changes, O(*n* log *n*) for a query that no session uses yet, O(1)
  ///   for most others.
  public mutating func handle(_ input: Input, at now: Instant) {
    observer?.observe(.input(input), at: now)
    wall.follow(now)
    take(input, at: now)
    guard let id = input.session, let session = sessions[id], let state = state(of: session) else { return }
    state.update(session)
    guard input.endsQuiet else { return }
    state.tiles.refresh(id)
    state.facets.refresh(id)
    state.pins.refresh(id)
  }

  /// Returns the state of the table that a session has open, if it exists.
  private func state(of session: Session) -> TableState? { tableNumbers[session.tableName].map { states[$0] } }

  private mutating func take(_ input: Input, at now: Instant) {
    switch input {
    case .changes(let id, let changes): states[id.rawValue].apply(changes, at: now)
    case .page(let id, let request, let block): states[id.rawValue].take(request, block, at: now)
    case .sections(let id, let request, let sections): states[id.rawValue].take(request, sections, at: now)
    case .pageFailed(let id, let request, let reason): states[id.rawValue].fail(request, reason, at: now)
    case .sourceChanged(let id): states[id.rawValue].backend.noteSourceChange(at: now)
    case .loaded(let id, let key, let column, let cell):
      states[id.rawValue].load(DeferredCell(key, column: column), cell, at: now)
    case .failed(let id, let key, let column, let reason):
      states[id.rawValue].fail(DeferredCell(key, column: column), reason, at: now)
    case .forget(let id, let key, let column): states[id.rawValue].forget(DeferredCell(key, column: column), at: now)
    case .wallTime(let nanoseconds): wall.set(nanoseconds, at: now)
    case .source(let id, let state, let message, let retry):
      states[id.rawValue].setSource(state, message, retry: retry, at: now)
    case .open(
      let id, let table, let request, let query, let viewport, let interval, let resume, let owner, let isRestricted):
      open(
        Session(
          id, table: table, request: request, query: query, viewport: viewport,
          interval: min(interval ?? limits.interval, limits.longestInterval), owner: owner,
          isRestricted: isRestricted ?? false, limits: limits), resume: resume, at: now)
    case .query(let id, let request, let query, let viewport): ask(id, request, query, viewport, at: now)
    case .collapse(let id, let section, let isCollapsed): collapse(id, section, isCollapsed, at: now)
    case .viewport(let id, let viewport): sessions[id]?.scroll(to: viewport, limits: limits)
    case .acknowledge(let id, let sequence): sessions[id]?.acknowledge(sequence, at: now)
    case .resync(let id, let sequence):
      guard let session = sessions[id], sequence == session.flow.sequence else { return }
      resyncs += 1
      session.resync()
    case .pace(let id, let interval):
      sessions[id]?.setInterval(min(interval ?? limits.interval, limits.longestInterval))
    case .visibility(let id, let isHidden): (sessions[id] ?? left[id])?.setHidden(isHidden, at: now)
    case .pause(let id, let isPaused): sessions[id]?.setPaused(isPaused)
    case .hold(let id, true): sessions[id]?.holdOrder(for: limits.hold, at: now)
    case .hold(let id, false): sessions[id]?.endHold()
    case .tiles(let id, let number, let tiles):
      guard let session = sessions[id] else { return }
      state(of: session)?.tiles.watch(session, id: number, tiles, at: now)
    case .facets(let id, let number, let facets):
      guard let session = sessions[id] else { return }
      state(of: session)?.watchFacets(session, id: number, facets, at: now)
    case .pins(let id, let number, let keys):
      guard let session = sessions[id] else { return }
      state(of: session)?.pins.watch(session, id: number, keys)
    case .writable(let id): (sessions[id] ?? left[id])?.noteWritable()
    case .close(let id): close(id, isParked: true, at: now)
    }
  }

  private mutating func open(_ session: Session, resume: ResumePoint?, at now: Instant) {
    // Only the first table opened on a connection can resume a session.
    if let resume, sessions[session.id] == nil, left[session.id] == nil {
      // The server may not have noticed yet that the old connection is dead.
      if let previous = resume.session { close(previous, isParked: true, at: now) }
      session.resume(from: resume.session.flatMap { parking.take($0) }, at: resume)
    }
    if let previous = sessions[session.id] ?? left[session.id] { session.goOn(from: previous) }
    close(session.id, at: now)
    sessions[session.id] = session
    if tableNumbers[session.tableName] == nil { waiting.append(session) } else { attach(session, at: now) }
  }

  /// Attaches a session to the view of its query, or refuses the query.
  private mutating func attach(_ session: Session, at now: Instant) {
    guard let number = tableNumbers[session.tableName] else { return }
    do throws(QueryFault) {
      let query = try resolve(
        session.requested.query, in: states[number].table.schema, isRestricted: session.isRestricted)
      try states[number].checkRest(of: query, session.requested.query, at: now)
      try attach(session, to: query, in: states[number], at: now)
    } catch {
      refuse(session, error, at: now)
    }
  }

  /// Switches a session to another query.
  ///
  /// A refused query leaves the session as it is, except that a pause or hold ends: the user asked
  /// for something else.
  private mutating func ask(
    _ id: SessionID, _ request: UInt64, _ wanted: QueryRequest, _ viewport: Viewport?, at now: Instant
  ) {
    guard let session = sessions[id] else { return }
    session.setPaused(false)
    session.endHold()
    guard let number = tableNumbers[session.tableName] else {
      return session.ask(wanted, request: request, viewport: viewport, limits: limits)
    }
    let state = states[number]
    do throws(QueryFault) {
      let query = try resolve(wanted, in: state.table.schema, isRestricted: session.isRestricted)
      try state.checkRest(of: query, wanted, at: now)
      session.ask(wanted, request: request, viewport: viewport, limits: limits)
      do throws(QueryFault) { try attach(session, to: query, in: state, at: now) } catch {
        refuse(session, error, at: now)
      }
    } catch {
      outputs.append(.refuse(id, Refusal(request: request, error, shown: session.shownRequest)))
    }
  }

  private func attach(
    _ session: Session, to query: Query, in state: TableState, at now: Instant
  ) throws(QueryFault) {
    let columns = query.group.map { state.table.schema.columns[$0].type }
    session.adoptCollapsed(columns)
    try state.attach(session, to: query, at: now)
  }

  /// Refuses a session's last request and restores its last good query.
  ///
  /// Without one the session becomes idle.
  private mutating func refuse(_ session: Session, _ fault: QueryFault, at now: Instant) {
    guard let number = tableNumbers[session.tableName] else { return }
    let request = session.requested.request
    let state = states[number]
    state.detach(session, at: now)
    session.becomeIdle()
    if let good = session.takeGood() {
      session.goBack(to: good)
      do throws(QueryFault) {
        let query = try resolve(good.query, in: state.table.schema, isRestricted: session.isRestricted)
        try attach(session, to: query, in: state, at: now)
        session.checkWindow(of: good)
      } catch {
        state.detach(session, at: now)
        session.becomeIdle()
      }
    }
    if session.requested.isIdle { session.forgetWindow() }
    outputs.append(.refuse(session.id, Refusal(request: request, fault, shown: session.shownRequest)))
  }

  private mutating func collapse(_ id: SessionID, _ section: SectionName, _ isCollapsed: Bool, at now: Instant) {
    guard let session = sessions[id] else { return }
    guard let view = session.view else {
      // Before the table exists, a section can only be named by its values.
      guard case .path(let path) = section else { return }
      session.setCollapsedInQuery(false, path)
      guard isCollapsed, mayCollapse(session, besides: session.requested.query.collapsed.count) else { return }
      return session.setCollapsedInQuery(true, path)
    }
    // A user who collapses a section wants to see the result, even if the section has gone
    // meanwhile.
    session.setPaused(false)
    session.endHold()
    let path =
      switch section {
      case .number(let number): session.path(ofSection: number)
      case .path(let path): sectionPath(path, of: view.groups.map(\.type))
      }
    // The section is gone, or no section can have these values.
    guard let path,
      !isCollapsed || session.collapsed.contains(path) || mayCollapse(session, besides: session.collapsed.count)
    else { return }
    session.setCollapsed(isCollapsed, path)
  }

  /// Whether the session may collapse one more section.
  ///
  /// Refuses the request otherwise.
  private mutating func mayCollapse(_ session: Session, besides count: Int) -> Bool {
    guard count >= limits.collapsed else { return true }
    let error = ClientError.tooLong("a page may collapse \(limits.collapsed) sections, not \(count + 1)")
    let fault = QueryFault(error, at: ["query.collapsed"])
    outputs.append(
      .refuse(session.id, Refusal(request: session.requested.request, fault, shown: session.shownRequest)))
    return false
  }

  private mutating func close(_ id: SessionID, isParked: Bool = false, at now: Instant) {
    left[id] = nil
    guard let session = sessions.removeValue(forKey: id) else { return }
    waiting.removeAll { $0 === session }
    guard let number = tableNumbers[session.tableName] else { return }
    session.willLeave()
    states[number].tiles.leave(id, at: now)
    states[number].facets.leave(id, at: now)
    states[number].pins.leave(id)
    states[number].detach(session, at: now)
    if isParked, session.base != nil { parking.park(session, at: now) }
  }

  /// Returns the query with column numbers in place of names.
  ///
  /// For restricted sessions the columns for operators do not exist.
  func resolve(_ request: QueryRequest, in schema: Schema, isRestricted: Bool) throws(QueryFault) -> Query {
    if isRestricted, schema.publicColumnCount < schema.columns.count {
      var query = try resolve(request, in: schema.restricted, isRestricted: false)
      query.isRestricted = true
      return query
    }
    if let fault = request.fault { throw fault }
    func number(_ name: String, _ part: String, _ index: Int) throws(QueryFault) -> Int {
      if let number = schema.index(of: name) { return number }
      throw QueryFault(.unknownColumn(table: schema.name, column: name), at: ["query.\(part)[\(index)]"])
    }
    func check(_ count: Int, _ most: Int, _ part: String, _ what: String) throws(QueryFault) {
      guard count > most else { return }
      throw QueryFault(.tooLong("\(what), not \(count)"), at: ["query.\(part)"])
    }
    try check(request.search.count, limits.search, "search", "a search may have \(limits.search) characters")
    try check(request.terms.count, limits.sortTerms, "sort", "a query may sort by \(limits.sortTerms) columns")
    try check(request.groupings.count, limits.groups, "group", "a query may group by \(limits.groups) columns")
    try check(
      request.aggregates.count, limits.aggregates, "aggregates", "a query may have \(limits.aggregates) aggregates")
    try check(
      request.sections.count, limits.groups, "sections", "a query may order the sections of \(limits.groups) columns")
    try check(
      request.collapsed.count, limits.collapsed, "collapsed", "a page may collapse \(limits.collapsed) sections")
    var query = Query(search: request.search)
    if let filter = request.filter {
      var resolver = FilterResolver(schema, limits: limits)
      do throws(ClientError) { query.filter = try resolver.resolve(filter) } catch {
        throw QueryFault(error, at: [resolver.place])
      }
    }
    try request.written?.narrow(&query, schema, limits)
    for (index, term) in request.terms.enumerated() {
      query.sort.append(SortTerm(try number(term.column, "sort", index), descending: term.descending))
    }
    query.groupings = try request.groupings(in: schema)
    for (index, aggregate) in request.aggregates.enumerated() {
      let column = try number(aggregate.column, "aggregates", index)
      guard aggregate.function.takes(schema.columns[column].type) else {
        let type = schema.columns[column].type
        throw QueryFault(
          .outOfRange("the column “\(aggregate.column)” is of type \(type): it has no \(aggregate.function)"),
          at: ["query.aggregates[\(index)]"])
      }
      query.aggregates.append(Aggregate(aggregate.function, of: column))
    }
    try query.adopt(request.sections, of: request, in: schema)
    return query
  }

  // MARK: Outputs

  /// Returns all outputs due at this time.
  ///
  /// - Complexity: O(views), plus O(window log window) for each session that is due. Sessions with
  ///   equal windows share the work.
  public mutating func advance(to now: Instant) -> [Output] {
    wall.follow(now)
    parking.drop(at: now)
    for table in states {
      table.advance(to: now, limits: limits, outputs: &outputs)
      for (id, error) in table.takeRefused() {
        guard let session = sessions[id] else { continue }
        refuse(session, QueryFault(error, at: table.backend.places(of: session.requested.query)), at: now)
      }
    }
    observer?.observe(.outputs(outputs), at: now)
    defer { outputs = [] }
    return outputs
  }

  /// Whether the table's views have applied enough changes to accept more.
  ///
  /// A caller that ignores this makes later turns longer. Turn length is bounded if the caller
  /// waits for room and submits a few thousand rows at a time.
  ///
  /// - Complexity: O(sessions).
  public func hasRoom(for table: TableID) -> Bool { states[table.rawValue].hasRoom }

  /// The time at which to call ``advance(to:)`` if no input arrives earlier, or `nil` if nothing is
  /// pending.
  ///
  /// - Complexity: O(tables + views).
  public var deadline: Instant? {
    if !outputs.isEmpty { return .zero }
    return (states.map(\.deadline) + [parking.deadline]).compactMap(\.self).min()
  }
}
