/// The rows of a table, and the views of them that sessions display.
///
/// - ``ResidentTable``: the source sends all rows, and the engine evaluates queries.
/// - ``RemoteTable``: the source keeps the rows and evaluates queries, block by block.
/// - ``ResidualTable``: the rows of a remote query, on which the engine evaluates what the source
///   cannot. It belongs to a remote table, which forwards to it.
///
/// A backend knows nothing of schedules. It returns the consequences for sessions as a
/// ``BackendEffect``.
protocol TableBackend: AnyObject {
  /// The number of rows; for a windowed table, the number reported by its source.
  var rowCount: Int { get }

  // MARK: Sessions

  /// Returns a view of a query for a session, or `nil` if the session must wait for rows.
  ///
  /// A waiting session gets its view by ``BackendEffect/joined``.
  ///
  /// - Throws: ``ClientError/remainderTooLarge(_:)`` if the limit on residual queries is reached.
  func attach(_ viewer: any Viewer, to query: Query, at now: Instant) throws(ClientError) -> (any QueryView)?
  /// Ends the session's use of its view, to which it still refers, or its wait for one.
  func detach(_ viewer: any Viewer, at now: Instant)
  /// Returns whether a view of the query is in use, resting or waited for.
  func shows(_ query: Query) -> Bool
  /// The number of views in use or waited for.
  var wantedViews: Int { get }
  /// The numbers of views with and without sessions.
  var viewCounts: (watched: Int, resting: Int) { get }

  // MARK: Time

  /// Applies changes of the rows.
  func apply(_ changes: Changeset, at now: Instant) -> BackendEffect
  /// Begins a turn: evicts rows, builds views and reloads contents, as far as they are due.
  func turn(to now: Instant, limits: Limits) -> BackendEffect
  /// Catches up views that are far behind, within the work left in the turn.
  func catchUpInTime(_ work: inout Int)
  /// Discards the changes before `position` that every view has applied.
  func trimLog(keeping position: Int?)
  /// Ends a turn: drops views that rested for long enough, and trims logs.
  func tidy(at now: Instant, keeping position: Int?)
  /// The time of the next turn, or `nil` if nothing is due.
  var deadline: Instant? { get }
}

/// A backend that takes what a source sends, and asks it for more.
///
/// Messages that do not concern its kind of table have no effect.
protocol SourceBackend: TableBackend {
  /// The number of rows, or `nil` if a windowed table's source has not reported it.
  var countedRows: Int? { get }
  /// The approximate size in bytes of the views in use, as far as it is limited.
  var viewBytes: Int { get }
  /// Returns the error for a query whose result is known to be too large for the engine.
  func refusal(of query: Query, at now: Instant) -> ClientError?
  /// Returns the places in a client's query that the source cannot evaluate.
  func places(of request: QueryRequest) -> [String]

  // MARK: The source

  /// Whether the source may send more changes.
  var hasRoom: Bool { get }
  /// Records that the data of a windowed source has changed.
  func noteSourceChange(at now: Instant)
  /// Records that the source is live again, so that failed requests are worth a retry.
  func noteSourceReturn(at now: Instant)
  /// Stores a deferred cell, and returns whether the displayed row changes.
  func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) -> Bool
  /// Records that a deferred cell failed to load, and returns whether the displayed row changes.
  func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) -> Bool
  /// Invalidates the value of a deferred cell, and returns whether the displayed row changes.
  func forget(_ cell: DeferredCell, at now: Instant) -> Bool
  /// Stores rows that were requested from a windowed source.
  func take(_ request: BlockRequestID, _ block: RowBlock, at now: Instant) -> BackendEffect
  /// Stores sections that were requested from a windowed source.
  func take(_ request: BlockRequestID, _ sections: [SectionCount], at now: Instant) -> BackendEffect
  /// Records that a windowed source failed to answer a request.
  func fail(_ request: BlockRequestID, _ reason: String, at now: Instant) -> BackendEffect
  /// Whether sessions with new prefetch targets are passed to ``ask(for:pinned:at:outputs:)``.
  var takesTargets: Bool { get }
  /// Updates the requests of these sessions, and appends requests and cancels for the source.
  ///
  /// - Parameter pinned: Returns the keys of the rows that a session has pinned.
  func ask(
    for viewers: [any Viewer], pinned: (SessionID) -> [RowKey], at now: Instant, outputs: inout [Output]
  ) -> BackendEffect
  /// The statistics of requests to the source.
  var counters: PrefetchCounters { get }

  // MARK: Exports

  /// Begins an export of all rows that match a query at a time that stands still.
  func beginExport(_ number: UInt64, _ query: Query, _ wall: WallTime) -> any RowExport
  /// Ends the requests of an export.
  func endExport(_ number: UInt64)
  /// Returns whether the export has blocks to request.
  func exportNeedsRows(_ number: UInt64) -> Bool

  // MARK: Replacement

  /// Adds what the backend of a replacement table continues.
  func handOver(to next: inout TableHandover)
}

/// The consequences of an input or a turn for the sessions of a table.
struct BackendEffect {
  /// The tables whose rows have changed.
  var tables: [Table] = []
  /// The views that have changed otherwise.
  var changed: [any QueryView] = []
  /// The views of which the next patch is sent at once.
  var completed: [any QueryView] = []
  /// The view for which an answer has come.
  var answered: (any QueryView)?
  /// The sessions that waited for rows, with their views.
  var joined: [(session: SessionID, view: any QueryView)] = []
  /// The sessions whose query is refused, with their errors.
  var refused: [(session: SessionID, error: ClientError)] = []
  /// Whether the deadline of any session may have changed.
  var concernsAll = false

  /// Adds the consequences of `other` to `one`, which keeps its answered view.
  static func += (one: inout BackendEffect, other: BackendEffect) {
    one.tables += other.tables
    one.changed += other.changed
    one.completed += other.completed
    one.joined += other.joined
    one.refused += other.refused
    one.concernsAll = one.concernsAll || other.concernsAll
  }
}

extension SourceBackend {
  var countedRows: Int? { rowCount }
  var viewBytes: Int { 0 }
  func refusal(of query: Query, at now: Instant) -> ClientError? { nil }
  func places(of request: QueryRequest) -> [String] { [] }
  func noteSourceChange(at now: Instant) {}
  func noteSourceReturn(at now: Instant) {}
  func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) -> Bool { false }
  func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) -> Bool { false }
  func forget(_ cell: DeferredCell, at now: Instant) -> Bool { false }
  func take(_ request: BlockRequestID, _ block: RowBlock, at now: Instant) -> BackendEffect { BackendEffect() }
  func take(_ request: BlockRequestID, _ sections: [SectionCount], at now: Instant) -> BackendEffect { BackendEffect() }
  func fail(_ request: BlockRequestID, _ reason: String, at now: Instant) -> BackendEffect { BackendEffect() }
  func endExport(_ number: UInt64) {}
  func exportNeedsRows(_ number: UInt64) -> Bool { false }
  func handOver(to next: inout TableHandover) {}
}
