import ListEngine

/// What a page says; docs/protocol.md, section 4, says what each means.
public enum ClientMessage: Hashable, Sendable {
  /// The first message: which version of the protocol it speaks, and what it calls itself.
  case hello(version: Int, client: String)
  /// Show a table.
  case open(Open)
  /// Another filter, order or grouping.
  case query(request: UInt64, query: QueryRequest, viewport: Viewport?)
  /// A section is collapsed, or expanded.
  case collapse(SectionName, isCollapsed: Bool)
  /// What is in sight.
  case viewport(Viewport)
  /// A window or patch was applied.
  case ack(sequence: UInt64)
  /// A patch did not fit.
  case resync(sequence: UInt64, reason: String)
  /// The least time between two patches; `nil` for the server's own.
  case pace(Duration?)
  /// The page went out of sight, or came back.
  case visibility(isHidden: Bool)
  /// Have something done.
  case act(Act)
  /// The reader wants the page to stay as it is, or to go on.
  case pause(isPaused: Bool)
  /// The reader points, selects or edits: everything is to stay where it is.
  case hold(isHeld: Bool)
  /// The page wants to see what goes on, or does so no longer.
  case stats(isWanted: Bool)
  /// The user signs out: the cookie that the connection came with is void.
  case signOut
  /// What does the source call these rows?
  case name(id: UInt64, rows: [RowID])
  /// Where are the rows with these keys?
  case locate(id: UInt64, keys: [RowKey])

  /// Which table a page wants to see, and how.
  public struct Open: Hashable, Sendable {
    /// The table's name.
    public var table: String
    /// Comes back in every window and patch that answers the query.
    public var request: UInt64
    /// The filter, order and grouping.
    public var query: QueryRequest
    /// What is in sight; `nil` for the top.
    public var viewport: Viewport?
    /// The wished least time between two patches; `nil` for the server's own.
    public var interval: Duration?
    /// What the page still holds from a lost connection.
    public var resume: Resume?

    /// A wish for a table.
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

  /// Something that a page wants done.
  public struct Act: Hashable, Sendable {
    /// The page's number for it; what was said before is not done again.
    public var id: UInt64
    /// What the server's hello called the session in which it was said first; `nil` for this one.
    public var token: String?
    /// The table's name.
    public var table: String
    /// The action's name.
    public var action: String
    /// The row, for an action that is done to rows.
    public var row: RowID?
    /// What was said besides.
    public var arguments: [Argument]

    /// One thing that was said.
    public struct Argument: Hashable, Sendable {
      /// What it is called.
      public var name: String
      /// The value; `null` as if nothing was said.
      public var value: Cell

      /// This value under this name.
      public init(_ name: String, _ value: Cell) {
        self.name = name
        self.value = value
      }
    }

    /// A wish to have something done.
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

  /// What a page still holds from a lost connection.
  public struct Resume: Hashable, Sendable {
    /// The run of the server that it came from.
    public var epoch: String
    /// The last window or patch that it applied.
    public var sequence: UInt64
    /// What the server's hello called the session in which it came.
    public var token: String?
    /// How many items the anchor is below the first visible one.
    public var anchorOffset: Int?

    /// A page's memory.
    public init(epoch: String, sequence: UInt64, token: String? = nil, anchorOffset: Int? = nil) {
      self.epoch = epoch
      self.sequence = sequence
      self.token = token
      self.anchorOffset = anchorOffset
    }
  }
}
