/// An event that the engine processes.
public enum Input: Codable, Sendable {
  /// The rows of a source have changed.
  case changes(TableID, Changeset)
  /// A source has loaded a deferred cell.
  ///
  /// An answer is valid at any time, also after a cancellation or without a request. An unrequested
  /// answer never replaces a value. Unknown rows and columns that are not deferred are ignored.
  case loaded(TableID, RowKey, column: Int, Cell)
  /// A source failed to load a requested deferred cell.
  ///
  /// The client shows the reason, and the engine retries after a delay. Sources must not report
  /// this for a cancelled request.
  case failed(TableID, RowKey, column: Int, reason: String)
  /// The value of a deferred cell is out of date.
  ///
  /// The engine requests it again where it is visible.
  ///
  /// A request in flight counts as a request for the new value. A source that is still computing
  /// the old value must deliver it before it reports this.
  case forget(TableID, RowKey, column: Int)
  /// A windowed source returns a block of rows.
  ///
  /// Answers to cancelled requests are ignored.
  case page(TableID, BlockRequestID, RowBlock)
  /// A windowed source returns all sections, in any order.
  ///
  /// More sections than requested are an error.
  case sections(TableID, BlockRequestID, [SectionCount])
  /// A windowed source failed to answer a request.
  ///
  /// The client shows the reason, and the engine retries after a delay. Sources must not report
  /// this for a cancelled request.
  case pageFailed(TableID, BlockRequestID, reason: String)
  /// The data of a windowed source has changed.
  ///
  /// The engine reloads the visible rows, at most once per ``Limits/refreshInterval``. Answers
  /// still to come count as answers about the old state.
  case sourceChanged(TableID)
  /// The time of day at this moment, in nanoseconds since 1970.
  ///
  /// Filters by age depend on it. The caller reports it before the first table, and whenever its
  /// clocks have diverged noticeably; in between it advances with the instants.
  case wallTime(Int64)
  /// The state of a source has changed.
  ///
  /// `retry` is the delay until the next attempt.
  case source(TableID, SourceState, message: String, retry: Duration? = nil)
  /// A client opens a table, possibly in place of another one.
  ///
  /// Every patch that answers the query carries `request`. `resume` describes the window that the
  /// client still holds from a lost connection. If the engine knows that window and the query is
  /// equal, the client receives a patch instead of a window.
  ///
  /// Sessions with the same `owner` can hold ``Limits/viewsPerOwner`` views of a table together;
  /// without one, no such limit applies. A restricted session does not see columns for operators.
  case open(
    SessionID, table: String, request: UInt64, query: QueryRequest, viewport: Viewport?, interval: Duration?,
    resume: ResumePoint? = nil, owner: Int? = nil, isRestricted: Bool? = nil)
  /// A client changes its query.
  case query(SessionID, request: UInt64, query: QueryRequest, viewport: Viewport?)
  /// A client collapses or expands a section in its own session.
  case collapse(SessionID, SectionName, isCollapsed: Bool)
  /// A client scrolled.
  case viewport(SessionID, Viewport)
  /// A client has applied the patch with this number.
  case acknowledge(SessionID, sequence: UInt64)
  /// A client could not apply a patch and requests a window.
  case resync(SessionID, sequence: UInt64)
  /// A client sets its minimum interval between patches; `nil` restores the engine's default.
  case pace(SessionID, Duration?)
  /// A client became hidden or visible.
  case visibility(SessionID, isHidden: Bool)
  /// A client pauses or resumes updates.
  ///
  /// Another query, and collapsing or expanding a section, also end a pause.
  case pause(SessionID, isPaused: Bool)
  /// A client holds or releases the row order while the user points, selects or edits.
  ///
  /// Values still change in place. A hold expires after ``Limits/hold``.
  case hold(SessionID, isHeld: Bool)
  /// A client replaces the tiles of its summary strip; no tiles end the reports.
  ///
  /// Every report carries `id`. Opening a table ends the reports, and a client whose table does not
  /// exist gets none.
  case tiles(SessionID, id: UInt64, [RequestedTile])
  /// A client replaces its facets, the counts of columns' values; no facets end the reports.
  ///
  /// Every report carries `id`. The rows are those of the client's query, also after it has
  /// changed. Opening a table ends the reports, and a client whose table does not exist gets none.
  case facets(SessionID, id: UInt64, [RequestedFacet])
  /// A client replaces its pinned rows, which it receives inside and outside its view; no keys end
  /// the reports.
  ///
  /// Every report carries `id`. Opening a table ends the reports, and a client whose table does not
  /// exist gets none.
  case pins(SessionID, id: UInt64, [RowKey])
  /// The session's socket has drained and accepts the next patch.
  case writable(SessionID)
  /// The session's connection has closed.
  case close(SessionID)
}

extension Input {
  /// Creates the input for an event of the source of this table.
  ///
  /// Returns `nil` for schemas, images and results of actions, which the engine's owner handles.
  public init?(_ event: SourceEvent, of table: TableID) {
    switch event {
    case .changes(let changes): self = .changes(table, changes)
    case .state(let state, let message, let retry): self = .source(table, state, message: message, retry: retry)
    case .loaded(let key, let column, let cell): self = .loaded(table, key, column: column, cell)
    case .notLoaded(let key, let column, let reason): self = .failed(table, key, column: column, reason: reason)
    case .forget(let key, let column): self = .forget(table, key, column: column)
    case .page(let request, let block): self = .page(table, request, block)
    case .sections(let request, let sections): self = .sections(table, request, sections)
    case .pageFailed(let request, let reason): self = .pageFailed(table, request, reason: reason)
    case .sourceChanged: self = .sourceChanged(table)
    case .schema, .columnsAdded, .image, .acted, .upload: return nil
    }
  }

  /// The session that the input concerns, if any.
  var session: SessionID? {
    switch self {
    case .changes, .loaded, .failed, .forget, .source, .page, .sections, .pageFailed, .sourceChanged,
      .wallTime:
      nil
    case .open(let id, _, _, _, _, _, _, _, _), .query(let id, _, _, _), .collapse(let id, _, _), .viewport(let id, _),
      .acknowledge(let id, _), .resync(let id, _), .pace(let id, _), .visibility(let id, _), .pause(let id, _),
      .hold(let id, _), .tiles(let id, _, _), .facets(let id, _, _), .pins(let id, _, _), .writable(let id),
      .close(let id):
      id
    }
  }

  /// Whether the input may make a hidden or paused session receive everything again.
  var endsQuiet: Bool {
    switch self {
    case .query, .collapse, .visibility, .pause: true
    default: false
    }
  }
}
