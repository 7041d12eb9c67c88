/// The bounds of everything that a stranger can make large.
public struct Limits: Hashable, Codable, Sendable {
  /// Columns of a table.
  public var columns = 512
  /// Rows of a table that has no lower limit of its own; further ones are rejected.
  public var rows = 100_000_000
  /// Bytes of a table that has no lower limit of its own, counted as ``TableLimits`` says; rows beyond are rejected.
  public var tableBytes = 1 << 36
  /// Bytes of one text, image key or series; a row with a longer one is rejected.
  public var cellBytes = 65_536
  /// Bytes of the key by which a text is ordered where its column has a collation. Texts whose keys begin alike for so long are ordered by
  /// code unit.
  public var collationKeyBytes = 1_000
  /// Visible items of a viewport.
  public var visible = 1_000
  /// Items of the buffer on each side.
  public var buffer = 2_000
  /// Characters of a search.
  public var search = 1_000
  /// How deep a filter's `all`, `any` and `not` may be nested.
  public var filterDepth = 8
  /// Terms of a filter, counting `all`, `any` and `not`.
  public var filterTerms = 100
  /// Values of one `oneOf` in a filter.
  public var filterValues = 1_000
  /// Characters of one text in a filter.
  public var filterText = 1_000
  /// Columns to sort by.
  public var sortTerms = 8
  /// Columns to group by.
  public var groups = 4
  /// Aggregates of a query.
  public var aggregates = 16
  /// Sections that a page may have collapsed.
  public var collapsed = 10_000
  /// Characters of the reason why a deferred cell could not be loaded; the rest is cut off.
  public var reason = 200
  /// About how many bytes of rows one patch carries; a larger change arrives in several.
  public var patchBytes = 48 * 1024
  /// Rows of a page of a windowed source.
  public var pageRows = 100
  /// Rows of windowed sources that are kept for each table though nobody looks at them; what someone looks at is always kept.
  public var cachedRows = 50_000
  /// About how many bytes those rows may take.
  public var cachedBytes = 64 << 20
  /// Rows that the engine loads of a windowed source to do with them what the source cannot; a query that needs more is refused.
  public var remainderRows = 50_000
  /// Rows of one answer while they are loaded, or a whole table is taken away.
  public var remainderPageRows = 1_000
  /// For how long a page of a windowed table that is taken away is asked for again and again when it does not come.
  public var exportPatience: Duration = .seconds(60)
  /// For how many queries of one table the engine does what their source cannot; further ones are refused.
  public var remainders = 8
  /// Sections of a query that its source groups; the answer with more is an error of the source.
  public var windowedSections = 10_000
  /// Bytes of a place between two rows, as a windowed source writes it.
  public var cursorBytes = 4_096
  /// The least time between two times that everything in sight of a windowed source is asked for again.
  public var refreshInterval: Duration = .seconds(1)
  /// Different queries of one table that clients look at; further ones are refused.
  public var views = 256
  /// About how many bytes their views may take; see ``ListView/bytesPerRow``.
  public var viewBytes = 4 << 30
  /// The work that one turn does while views are put together, in rows that are gathered. Views of a quarter as many rows are put together at
  /// once, as long as all that is done at once between two turns is five times as much at most.
  public var stepRows = 1 << 16
  /// How many rows one turn lets go that their table does not keep; see ``Retention``.
  public var evictions = 1_024
  /// About how many changed rows views take over in one turn, all together; windows that are cut count by their items. What does not
  /// get its turn goes first in the next one; a view that lacks more takes it over in several turns, and shows nothing before it has all.
  public var turnRows = 2_048
  /// How many changes a view may lack before the engine has no room for more; see ``Engine/hasRoom(for:)``. Four times as many while it is
  /// put together.
  public var backlog = 4_096
  /// The least time between two patches of a session that does not ask for another.
  public var interval: Duration = .milliseconds(300)
  /// How long a page may hold the order of its window without asking again.
  public var hold: Duration = .seconds(30)
  /// How many pages that are gone may come back to a patch, and for how long.
  public var parkedSessions = 1_000
  /// See ``parkedSessions``.
  public var parkedTime: Duration = .seconds(60)
  /// The longest interval a page may ask for.
  public var longestInterval: Duration = .seconds(60)

  /// The number of views of one table that the sessions of one owner may hold together: half of ``views``.
  public var viewsPerOwner: Int { max(1, views / 2) }
  /// About how many bytes the windows of one table's sessions may take together: half of ``viewBytes``.
  public var windowBytes: Int { viewBytes / 2 }

  /// The standard bounds.
  public init() {}
}
