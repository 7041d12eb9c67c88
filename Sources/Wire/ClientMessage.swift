import ListEngine

/// A message from a client, described in docs/protocol.md, section 4.
public enum ClientMessage: Hashable, Sendable {
  /// The first message of a connection, with the client's protocol version and its name.
  ///
  /// `wantsHeartbeats`: whether the server shall send heartbeats.
  case hello(version: Int, client: String, wantsHeartbeats: Bool = false)
  /// Opens a table.
  case open(Open)
  /// Replaces the filter, sort order, grouping and aggregates of the open table.
  case query(request: UInt64, query: QueryRequest, viewport: Viewport?)
  /// Collapses or expands a section.
  case collapse(SectionName, isCollapsed: Bool)
  /// Reports the visible part of the view.
  case viewport(Viewport)
  /// Acknowledges that a window or patch was applied.
  case ack(sequence: UInt64)
  /// Requests a new window, because a patch did not match the client's window.
  case resync(sequence: UInt64, reason: String)
  /// Sets the minimum interval between two patches; `nil` selects the server's default.
  case pace(Duration?)
  /// Reports that the page was hidden or shown again.
  case visibility(isHidden: Bool)
  /// Requests an action.
  case act(Act)
  /// Pauses or resumes patches.
  case pause(isPaused: Bool)
  /// Holds the order of rows while the user points, selects or edits, or releases it.
  case hold(isHeld: Bool)
  /// Starts or stops the periodic statistics.
  case stats(isWanted: Bool)
  /// Ends the sign-in whose cookie the connection came with.
  case signOut
  /// Replaces the tiles of the client's summary strip; an empty list ends their reports.
  case tiles(id: UInt64, [RequestedTile])
  /// Replaces the client's facets, the counts of columns' values; an empty list ends their reports.
  case facets(id: UInt64, [RequestedFacet])
  /// Replaces the client's pinned rows; an empty list ends their reports.
  case pins(id: UInt64, [RowKey])
  /// Requests the keys of rows.
  case name(id: UInt64, rows: [RowID])
  /// Requests the positions of the rows with these keys.
  case locate(id: UInt64, keys: [RowKey])

  /// Requests the meaning of a filter written as text in the open table, and the texts that fit at
  /// the caret.
  case parse(id: UInt64, WrittenFilter, caret: Int?)

  /// A request to open a table under a query.
  public struct Open: Hashable, Sendable {
    /// The table's name.
    public var table: String
    /// A number chosen by the client, returned in every window and patch that answers the query.
    public var request: UInt64
    /// The filter, sort order, grouping and aggregates.
    public var query: QueryRequest
    /// The visible part of the view; `nil` for its top.
    public var viewport: Viewport?
    /// The requested minimum interval between two patches; `nil` for the server's default.
    public var interval: Duration?
    /// The state that the client holds from a lost connection.
    public var resume: Resume?

    /// Creates a request to open a table.
    public init(
      table: String, request: UInt64, query: QueryRequest = QueryRequest(), viewport: Viewport? = nil,
      interval: Duration? = nil, resume: Resume? = nil
    ) {
      self.table = table
      self.request = request
      self.query = query
      self.viewport = viewport
      self.interval = interval
      self.resume = resume
    }
  }

  /// A request to run an action.
  public struct Act: Hashable, Sendable {
    /// The client's number for the request.
    ///
    /// The server runs a request with a known number at most once.
    public var id: UInt64
    /// The token of the session that sent the request first; `nil` for the current session.
    ///
    /// The server sent this token in its `hello`.
    public var token: String?
    /// The table's name.
    public var table: String
    /// The action's name.
    public var action: String
    /// The row, for actions that apply to rows.
    public var row: RowID?
    /// The arguments by name.
    public var arguments: [Argument]

    /// A named argument of an action.
    public struct Argument: Hashable, Sendable {
      /// The argument's name.
      public var name: String
      /// The argument's value; `null` counts as omitted.
      public var value: Cell

      /// Creates an argument.
      public init(_ name: String, _ value: Cell) {
        self.name = name
        self.value = value
      }
    }

    /// Creates a request to run an action.
    public init(
      id: UInt64, token: String? = nil, table: String, action: String, row: RowID? = nil, arguments: [Argument] = []
    ) {
      self.id = id
      self.token = token
      self.table = table
      self.action = action
      self.row = row
      self.arguments = arguments
    }
  }

  /// The state that a client holds from a lost connection.
  public struct Resume: Hashable, Sendable {
    /// The epoch of the server run that sent the state.
    public var epoch: String
    /// The sequence number of the last window or patch that the client applied.
    public var sequence: UInt64
    /// The token of the lost session, from the server's `hello`.
    public var token: String?
    /// The distance of the scroll anchor below the first visible item, in items.
    public var anchorOffset: Int?
    /// The window that the client holds.
    public var window: ClientWindow?

    /// Creates a description of the client's state.
    public init(
      epoch: String, sequence: UInt64, token: String? = nil, anchorOffset: Int? = nil, window: ClientWindow? = nil
    ) {
      self.epoch = epoch
      self.sequence = sequence
      self.token = token
      self.anchorOffset = anchorOffset
      self.window = window
    }
  }
}
