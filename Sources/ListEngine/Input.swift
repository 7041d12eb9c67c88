/// The engine's identifier of a table.
public struct TableID: Hashable, Codable, Sendable {
  /// The table's number, counted from 0 in the order of addition.
  public let rawValue: Int
  /// Creates the identifier of the table with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The caller's identifier of a session, unique while the session is open.
public struct SessionID: Hashable, Codable, Sendable {
  /// The session's number.
  public let rawValue: UInt64
  /// Creates the identifier of the session with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A cell of a deferred column, identified by the row's key.
public struct DeferredCell: Hashable, Sendable {
  /// The row's key.
  public var key: RowKey
  /// The column's number.
  public var column: Int

  /// Creates the identifier of a cell.
  public init(_ key: RowKey, column: Int) {
    self.key = key
    self.column = column
  }
}

/// A query as sent by a client, with columns by name.
public struct QueryRequest: Hashable, Codable, Sendable {
  /// The columns to sort by.
  public var sort: [(column: String, descending: Bool)] { terms.map { ($0.column, $0.descending) } }
  /// The text to search for, or an empty string.
  public var search: String
  /// The filter that rows must match.
  ///
  /// Values are as in the client's JSON: timestamps in milliseconds, and integers possibly as text
  /// because JavaScript numbers are exact only up to 2^53.
  public var filter: Filter<String>?
  /// The columns to group by.
  public var group: [String]
  /// The aggregates to compute for each section and for all rows.
  public var aggregates: [AggregateRequest] = []
  /// The collapsed sections, each by its values as in ``SectionName/path(_:)``.
  ///
  /// Clients whose queries differ only in this share a view.
  public var collapsed: [[Cell]] = []
  /// The reason why the client's query is malformed; the engine refuses it with this fault.
  public var fault: QueryFault?

  struct Term: Hashable, Codable, Sendable {
    var column: String
    var descending: Bool
  }
  var terms: [Term]

  /// Creates a query, by default for all rows in the source's order.
  public init(
    sort: [(column: String, descending: Bool)] = [], search: String = "", filter: Filter<String>? = nil,
    group: [String] = []
  ) {
    self.terms = sort.map { Term(column: $0.column, descending: $0.descending) }
    self.search = search
    self.filter = filter
    self.group = group
  }
}

/// A client's reference to a section.
public enum SectionName: Hashable, Codable, Sendable {
  /// The number that the server sent in the section's header.
  case number(UInt32)
  /// The values of the group columns from the outermost section inwards.
  ///
  /// Values are as in the client's JSON: timestamps in milliseconds, and integers possibly as text.
  case path([Cell])
}

/// The state of a source.
public enum SourceState: String, Codable, Sendable {
  /// The source has not delivered rows yet.
  case starting
  /// The source is connected and reports its changes.
  case live
  /// The source is down or silent; its rows are kept.
  case stale
  /// The source is down and restarts after a delay; its rows are kept.
  case backingOff
  /// The operator has disabled the source; its rows are kept.
  case disabled
  /// The source has failed and does not restart by itself.
  case failed
}

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
  case page(TableID, PageRequestID, RowPage)
  /// A windowed source returns all sections, in any order.
  ///
  /// More sections than requested are an error.
  case sections(TableID, PageRequestID, [SectionCount])
  /// A windowed source failed to answer a request.
  ///
  /// The client shows the reason, and the engine retries after a delay. Sources must not report
  /// this for a cancelled request.
  case pageFailed(TableID, PageRequestID, reason: String)
  /// The data of a windowed source has changed.
  ///
  /// The engine reloads the visible rows, at most once per ``Limits/refreshInterval``. Answers
  /// still to come count as answers about the old state.
  case sourceChanged(TableID)
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
  /// The session's socket has drained and accepts the next patch.
  case writable(SessionID)
  /// The session's connection has closed.
  case close(SessionID)
}

extension Input {
  /// The session that the input concerns, if any.
  var session: SessionID? {
    switch self {
    case .changes, .loaded, .failed, .forget, .source, .page, .sections, .pageFailed, .sourceChanged: nil
    case .open(let id, _, _, _, _, _, _, _, _), .query(let id, _, _, _), .collapse(let id, _, _), .viewport(let id, _),
      .acknowledge(let id, _), .resync(let id, _), .pace(let id, _), .visibility(let id, _), .pause(let id, _),
      .hold(let id, _), .writable(let id), .close(let id):
      id
    }
  }
}

/// The state of a table's source, for display.
public struct SourceStatus: Hashable, Sendable {
  /// The source's state.
  public var state: SourceState
  /// The reason for the state, for display.
  public var message: String
  /// The total number of rejected rows.
  public var rejected: UInt64
  /// The last rejected row and the reason, or an empty string.
  public var lastRejection: String
  /// Counts of rejected rows by reason, with at most eight reasons.
  public var rejections: [RejectionReason] = []
  /// The number of answers of a windowed source that contradict the request.
  public var contradictions: UInt64 = 0
  /// Counts of contradictory answers by kind, with at most eight kinds.
  public var contradicted: [RejectionReason] = []
  /// The time since the last change.
  public var age: Duration
  /// The delay until the next attempt to restart the source, or `nil` if none is planned.
  public var retry: Duration? = nil

  /// Creates a source status.
  public init(
    state: SourceState, message: String, rejected: UInt64, lastRejection: String, age: Duration, retry: Duration? = nil
  ) {
    self.state = state
    self.message = message
    self.rejected = rejected
    self.lastRejection = lastRejection
    self.age = age
    self.retry = retry
  }
}

/// A table as clients see it.
public struct TableDescription: Hashable, Sendable {
  /// The table's name, columns and capabilities.
  public var schema: Schema
  /// The number of rows.
  public var rows: Int
  /// The state of the table's source.
  public var source: SourceStatus
  /// The number of times the table was replaced.
  ///
  /// Rows of another generation belong to another table.
  public var generation = 0
  /// The maximum number of rows that the engine loads to evaluate a residual query; see
  /// ``Limits/remainderRows``.
  public var rowLimit = 0

  /// Creates a table description.
  public init(schema: Schema, rows: Int, source: SourceStatus, generation: Int = 0, rowLimit: Int = 0) {
    self.rowLimit = rowLimit
    self.schema = schema
    self.rows = rows
    self.source = source
    self.generation = generation
  }
}

/// A window or patch addressed to one session.
public struct Delivery {
  /// The delivery's number within the session, counted from 1.
  public var sequence: UInt64
  /// The number of the request that this delivery answers.
  public var request: UInt64
  /// The minimum interval between patches now in force.
  public var interval: Duration
  /// The distance in rows by which the scroll anchor moved.
  public var shift: Int
  /// The sequence number of the window that the patch applies to; meaningless for a whole window.
  public var base: UInt64
  /// The table's schema, for column names in headers.
  public var schema: Schema
  /// The changes, shared by all sessions with the same window.
  public var patch: Patch
  /// The indexes in the window of rows that changed or appeared since the session was paused.
  public var newer: [Int] = []
}

/// An effect that the caller must carry out.
public enum Output {
  /// Send the delivery to the client.
  ///
  /// The session counts as not writable until ``Input/writable(_:)``.
  case deliver(SessionID, Delivery)
  /// Send the state of the table's source to the client.
  case status(SessionID, table: String, SourceStatus)
  /// Send the number of waiting changes to a paused client.
  case waiting(SessionID, Waiting)
  /// Make the source load deferred cells, most urgent first.
  ///
  /// Each is answered by ``Input/loaded(_:_:column:_:)`` or ``Input/failed(_:_:column:reason:)``.
  case load(TableID, [DeferredCell])
  /// Make the source cancel these loads because the cells are out of sight.
  ///
  /// A late answer is not an error.
  case cancel(TableID, [DeferredCell])
  /// Make a windowed source answer requests, most urgent first.
  ///
  /// Each is answered by ``Input/page(_:_:_:)``, ``Input/sections(_:_:_:)`` or
  /// ``Input/pageFailed(_:_:reason:)``.
  case ask(TableID, [PageRequest])
  /// Make a windowed source cancel these requests.
  ///
  /// A late answer is not an error.
  case cancelPages(TableID, [PageRequestID])
  /// Send the list of tables to every client.
  case tables([TableDescription])
  /// Report a refused request to the client.
  ///
  /// The session stays open and shows its last good query, if any.
  case refuse(SessionID, Refusal)
}

/// A client's mistake.
///
/// A mistake in a query is reported as a ``Refusal``; any other closes the connection.
public enum ClientError: Error, Hashable, Codable, Sendable {
  /// The message is not JSON or does not follow the protocol.
  case unreadableMessage(String)
  /// The protocol has no message of this type.
  case unknownType(String)
  /// The client uses an unsupported version of the protocol.
  case wrongVersion(Int)
  /// The message is not allowed at this point.
  case unexpectedMessage(String)
  /// No table has this name.
  case unknownTable(String)
  /// The table has no column of this name.
  case unknownColumn(table: String, column: String)
  /// A number is out of range.
  case outOfRange(String)
  /// A text or list exceeds its limit.
  case tooLong(String)
  /// The table has no action of this name.
  case unknownAction(String)
  /// The client lacks the permission.
  case notAllowed(String)
  /// The source does not support the query, and too many rows remain for the engine to evaluate it.
  case remainderTooLarge(String)
  /// The table has reached its limit of views, by number or by memory.
  case tooManyViews(String)
  /// The server has reached its limit of sessions.
  case tooManySessions(limit: Int)
  /// The client's token has reached its limit of sessions.
  case tooManySessionsOfToken(limit: Int)
}
