/// The engine's name for a table.
public struct TableID: Hashable, Codable, Sendable {
  /// The number itself, from 0 in the order of addition.
  public let rawValue: Int
  /// The table with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The caller's name for a session; unique while the session is open.
public struct SessionID: Hashable, Codable, Sendable {
  /// The number itself.
  public let rawValue: UInt64
  /// The session with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A cell of a deferred column, as its source knows it.
public struct DeferredCell: Hashable, Sendable {
  /// The row.
  public var key: RowKey
  /// The column's number.
  public var column: Int

  /// The cell of this row in this column.
  public init(_ key: RowKey, column: Int) {
    self.key = key
    self.column = column
  }
}

/// A query as a page writes it: columns by name.
public struct QueryRequest: Hashable, Codable, Sendable {
  /// The columns to sort by, by name.
  public var sort: [(column: String, descending: Bool)] { terms.map { ($0.column, $0.descending) } }
  /// Only rows that contain this text.
  public var search: String
  /// Only rows that this filter lets through. A number stands for milliseconds where the column is a timestamp, and a whole
  /// number may be written as a text, as pages write it when it is beyond 2^53.
  public var filter: Filter<String>?
  /// The columns to group by, by name.
  public var group: [String]
  /// What is asked of each section, and of all rows.
  public var aggregates: [AggregateRequest] = []
  /// The sections that the page has collapsed, each by its values as in ``SectionName/path(_:)``. Pages that have collapsed different
  /// ones still share everything else.
  public var collapsed: [[Cell]] = []
  /// Why it cannot be read, when it was not written as the protocol says: it is refused when it is asked for, for this reason.
  public var fault: QueryFault?

  struct Term: Hashable, Codable, Sendable {
    var column: String
    var descending: Bool
  }
  var terms: [Term]

  /// All rows in the source's order, unless told otherwise.
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

/// Which section a page means.
public enum SectionName: Hashable, Codable, Sendable {
  /// The one with this number, which the page was told in a header.
  case number(UInt32)
  /// The one with these values, from the outermost section's to its own. They are as a page writes them: a number stands for
  /// milliseconds where the column is a timestamp, and a whole number may be a text.
  case path([Cell])
}

/// How a source is.
public enum SourceState: String, Codable, Sendable {
  /// No rows yet.
  case starting
  /// It tells its changes.
  case live
  /// It is down or silent; its rows stay.
  case stale
  /// It is down, and is tried again after a while; its rows stay.
  case backingOff
  /// Its user does not want it for now; its rows stay.
  case disabled
  /// It will not come back by itself.
  case failed
}

/// Everything that can happen to the engine.
public enum Input: Codable, Sendable {
  /// A source's rows have changed.
  case changes(TableID, Changeset)
  /// A source has loaded a deferred cell. It fits in at any time: before and after a cancel, and without having been asked for; but
  /// what was not asked for never takes the place of a value. Anything about a row or deferred column that is not there is ignored.
  case loaded(TableID, RowKey, column: Int, Cell)
  /// A source could not load a deferred cell that it was asked for. The page shows why, and it is asked for again after a while. Not
  /// to be said of a load that was cancelled.
  case failed(TableID, RowKey, column: Int, reason: String)
  /// A deferred cell's value is not true any more. It is asked for anew where someone looks. What is in flight is taken for the new
  /// value: a source that is still computing the old one answers with it before it says this.
  case forget(TableID, RowKey, column: Int)
  /// A windowed source answers a request for rows. An answer that nobody waits for any more is no error.
  case page(TableID, PageRequestID, RowPage)
  /// A windowed source answers a request for sections: all that there are, in any order; more than were asked for are an error.
  case sections(TableID, PageRequestID, [SectionCount])
  /// A windowed source could not answer a request. The page shows why, and it is asked again after a while. Not to be said of a request
  /// that was cancelled.
  case pageFailed(TableID, PageRequestID, reason: String)
  /// Something in a windowed source has changed. What is in sight is asked for again, every ``Limits/refreshInterval`` at most. What is
  /// still to be answered is taken for an answer to the old state.
  case sourceChanged(TableID)
  /// A source's state has changed, and why; `retry` is how long it is until it is tried again.
  case source(TableID, SourceState, message: String, retry: Duration? = nil)
  /// A page opens a table, or another one. `request` comes back with every patch that answers the query.
  /// `resume` tells what it still holds of a connection that was lost: where that is known and the query is the same, it gets a patch.
  /// Sessions with the same `owner` may hold ``Limits/viewsPerOwner`` views of a table together; sessions without one are not limited so.
  case open(
    SessionID, table: String, request: UInt64, query: QueryRequest, viewport: Viewport?, interval: Duration?,
    resume: ResumePoint? = nil, owner: Int? = nil)
  /// A page asks for another query.
  case query(SessionID, request: UInt64, query: QueryRequest, viewport: Viewport?)
  /// A page collapses a section of its own view of the table, or expands it.
  case collapse(SessionID, SectionName, isCollapsed: Bool)
  /// A page's reader scrolled.
  case viewport(SessionID, Viewport)
  /// A page has applied the patch with this number.
  case acknowledge(SessionID, sequence: UInt64)
  /// A page could not apply a patch, and asks for a window.
  case resync(SessionID, sequence: UInt64)
  /// A page wishes another least interval between patches; `nil` for the engine's.
  case pace(SessionID, Duration?)
  /// A page went out of sight, or came back.
  case visibility(SessionID, isHidden: Bool)
  /// A page's reader wants it to stay as it is, or to go on. Another query ends a pause, and so does a section that is collapsed or expanded.
  case pause(SessionID, isPaused: Bool)
  /// A page's reader points, selects or edits, so that everything is to stay where it is while its values go on; or does so no longer. A hold
  /// ends by itself after ``Limits/hold``.
  case hold(SessionID, isHeld: Bool)
  /// A session's socket has taken everything it was given and can take the next patch.
  case writable(SessionID)
  /// A session's page is gone.
  case close(SessionID)
}

extension Input {
  /// Whose page it is about, if any.
  var session: SessionID? {
    switch self {
    case .changes, .loaded, .failed, .forget, .source, .page, .sections, .pageFailed, .sourceChanged: nil
    case .open(let id, _, _, _, _, _, _, _), .query(let id, _, _, _), .collapse(let id, _, _), .viewport(let id, _),
      .acknowledge(let id, _), .resync(let id, _), .pace(let id, _), .visibility(let id, _), .pause(let id, _),
      .hold(let id, _), .writable(let id), .close(let id):
      id
    }
  }
}

/// How a table's source is, for people.
public struct SourceStatus: Hashable, Sendable {
  /// Its state.
  public var state: SourceState
  /// Why it is so.
  public var message: String
  /// How many rows were rejected since the start.
  public var rejected: UInt64
  /// Which row was rejected last, and why; empty when none was.
  public var lastRejection: String
  /// Why rows were rejected; at most eight reasons.
  public var rejections: [RejectionReason] = []
  /// How many answers of a windowed source contradicted what it was asked.
  public var contradictions: UInt64 = 0
  /// How they did; at most eight ways.
  public var contradicted: [RejectionReason] = []
  /// How long ago its last change was.
  public var age: Duration
  /// How long it is until it is tried again; `nil` when it is not about to be.
  public var retry: Duration? = nil

  /// How a source is.
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

/// A table as a page gets to know it.
public struct TableDescription: Hashable, Sendable {
  /// Its columns and names.
  public var schema: Schema
  /// How many rows it has.
  public var rows: Int
  /// How its source is.
  public var source: SourceStatus
  /// How often another table has taken its place: what pages hold of another generation is of another table.
  public var generation = 0
  /// How many rows the engine takes from a windowed source, to do with them what the source cannot: ``Limits/remainderRows``.
  public var rowLimit = 0

  /// A table as it is now.
  public init(schema: Schema, rows: Int, source: SourceStatus, generation: Int = 0, rowLimit: Int = 0) {
    self.rowLimit = rowLimit
    self.schema = schema
    self.rows = rows
    self.source = source
    self.generation = generation
  }
}

/// A window or patch on its way to one session.
public struct Delivery {
  /// Its number in the session: 1, 2, 3, ...
  public var sequence: UInt64
  /// The request that it answers.
  public var request: UInt64
  /// The least time between patches now in force.
  public var interval: Duration
  /// By how much the anchor's position changed.
  public var shift: Int
  /// The number of the window it applies to; meaningless for a whole window.
  public var base: UInt64
  /// The table's columns, for names in headers.
  public var schema: Schema
  /// What changed; shared by all sessions that get the same.
  public var patch: Patch
  /// While the page pauses: indexes in the window of the rows that have changed or come since the pause.
  public var newer: [Int] = []
}

/// What the engine wants done.
public enum Output {
  /// Send this to the page. The session's socket counts as not writable until ``Input/writable(_:)``.
  case deliver(SessionID, Delivery)
  /// Tell the page how its table's source is.
  case status(SessionID, table: String, SourceStatus)
  /// Tell a page that pauses what waits for it.
  case waiting(SessionID, Waiting)
  /// Have the source load these deferred cells, the most urgent first, and answer each with ``Input/loaded(_:_:column:_:)`` or
  /// ``Input/failed(_:_:column:reason:)``.
  case load(TableID, [DeferredCell])
  /// Have the source stop loading these: nobody looks any more. An answer that is on its way is no error.
  case cancel(TableID, [DeferredCell])
  /// Have a windowed source answer these, the most urgent first, each with ``Input/page(_:_:_:)``, ``Input/sections(_:_:_:)`` or
  /// ``Input/pageFailed(_:_:reason:)``.
  case ask(TableID, [PageRequest])
  /// Have it stop working on these: nobody waits any more. An answer that is on its way is no error.
  case cancelPages(TableID, [PageRequestID])
  /// Tell every page which tables there are.
  case tables([TableDescription])
  /// Tell the client why a request was refused. The session stays: it shows its last good query, or nothing.
  case refuse(SessionID, Refusal)
}

/// A fault of the client's. What is wrong with a query is answered and nothing else happens, see ``Refusal``; for anything else the socket is closed.
public enum ClientError: Error, Hashable, Codable, Sendable {
  /// No JSON, or not what the protocol says.
  case unreadableMessage(String)
  /// A message of a type that the protocol does not have.
  case unknownType(String)
  /// Another version of the protocol.
  case wrongVersion(Int)
  /// A message out of turn.
  case unexpectedMessage(String)
  /// No table of this name.
  case unknownTable(String)
  /// No column of this name.
  case unknownColumn(table: String, column: String)
  /// A number beyond its limits.
  case outOfRange(String)
  /// A text or list beyond its limit.
  case tooLong(String)
  /// No action of this name.
  case unknownAction(String)
  /// Something that only others may do.
  case notAllowed(String)
  /// The source cannot do what the query asks, and leaves too many rows for the engine to do it.
  case remainderTooLarge(String)
  /// The table has as many views as it may, by number or by bytes.
  case tooManyViews(String)
  /// The server serves as many sessions as it may.
  case tooManySessions(limit: Int)
  /// The client's token has as many sessions as one may have.
  case tooManySessionsOfToken(limit: Int)
}
