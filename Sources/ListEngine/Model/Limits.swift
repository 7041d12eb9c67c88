/// Bounds on everything that clients and sources can make large.
public struct Limits: Hashable, Codable, Sendable {
  /// The maximum number of columns of a table.
  public var columns = 512
  /// The maximum number of rows of a table without a lower limit of its own; further rows are
  /// rejected.
  public var rows = 100_000_000
  /// The maximum memory of a table whose schema sets no lower limit, in bytes as defined by
  /// ``TableLimits``.
  ///
  /// Rows that exceed it are rejected.
  public var tableBytes = 1 << 36
  /// The maximum size in bytes of a text, image key or series; rows with a larger cell are
  /// rejected.
  public var cellBytes = 65_536
  /// The maximum size of a collation key in bytes.
  ///
  /// Texts with equal truncated keys are ordered by code unit.
  public var collationKeyBytes = 1_000
  /// The maximum number of visible items of a viewport.
  public var visible = 1_000
  /// The maximum number of buffered items on each side of the viewport.
  public var buffer = 2_000
  /// The maximum number of characters of a search.
  public var search = 1_000
  /// The maximum nesting depth of `all`, `any` and `not` in a filter.
  public var filterDepth = 8
  /// The maximum number of terms of a filter, including `all`, `any` and `not`.
  public var filterTerms = 100
  /// The maximum number of values of a filter's `oneOf`.
  public var filterValues = 1_000
  /// The maximum number of characters of a text in a filter.
  public var filterText = 1_000
  /// The maximum number of columns to sort by.
  public var sortTerms = 8
  /// The maximum number of columns to group by.
  public var groups = 4
  /// The maximum number of aggregates of a query.
  public var aggregates = 16
  /// The maximum number of sections that a session can collapse.
  public var collapsed = 10_000
  /// The maximum number of characters of a load failure's reason; longer ones are truncated.
  public var reason = 200
  /// The approximate maximum size in bytes of a patch; larger changes are split.
  public var patchBytes = 48 * 1024
  /// The number of rows of a block of a windowed source.
  public var pageRows = 100
  /// The maximum number of rows that a windowed table caches outside all windows.
  ///
  /// Rows inside a window are always kept.
  public var cachedRows = 50_000
  /// The approximate maximum size of these cached rows in bytes.
  public var cachedBytes = 64 << 20
  /// The maximum number of rows loaded for a residual query; queries that need more are refused.
  public var remainderRows = 50_000
  /// The number of rows per request while the engine loads rows for a residual query or an export.
  public var remainderPageRows = 1_000
  /// The time for which an export retries a block that the source fails to deliver.
  public var exportPatience: Duration = .seconds(60)
  /// The maximum number of residual queries per table; further ones are refused.
  public var remainders = 8
  /// The maximum number of sections that a windowed source may return; more are an error.
  public var windowedSections = 10_000
  /// The maximum size of a windowed source's cursor in bytes.
  public var cursorBytes = 4_096
  /// The minimum interval between reloads of the visible rows of a windowed source.
  public var refreshInterval: Duration = .seconds(1)
  /// The maximum number of different queries in use per table; further ones are refused.
  public var views = 256
  /// The approximate maximum memory of one table's views in bytes; see ``ListView/bytesPerRow``.
  public var viewBytes = 4 << 30
  /// The work budget of a turn for building views, in rows gathered.
  ///
  /// Views of up to a quarter as many rows are built at once. Between two turns, such builds may
  /// use at most five times the budget.
  public var stepRows = 1 << 16
  /// The maximum number of rows evicted per turn; see ``Retention``.
  public var evictions = 1_024
  /// The approximate number of changed rows that all views together apply in one turn.
  ///
  /// Cutting a window counts by its items. Work that does not fit goes first in the next turn. A
  /// view with more changes needs several turns and shows nothing in between.
  public var turnRows = 2_048
  /// The number of unapplied changes in a view at which the source must wait; see
  /// ``Engine/hasRoom(for:)``.
  ///
  /// An export that is being prepared may have four times as many.
  public var backlog = 4_096
  /// The minimum interval between patches of a session that requests none.
  public var interval: Duration = .milliseconds(300)
  /// The duration after which a hold expires unless the client renews it.
  public var hold: Duration = .seconds(30)
  /// The maximum number of closed sessions that can be resumed.
  public var parkedSessions = 1_000
  /// The time for which a closed session can be resumed.
  public var parkedTime: Duration = .seconds(60)
  /// The longest interval that a client can request.
  public var longestInterval: Duration = .seconds(60)

  /// The number of views of a table that the sessions of one owner can hold together: half of
  /// ``views``.
  public var viewsPerOwner: Int { max(1, views / 2) }
  /// The maximum number of different tiles in use per table; further ones are refused.
  public var tiles: Int { 64 }
  /// The maximum number of tiles of a session: those of a strip, and bounds of columns.
  public var tilesPerSession: Int { 24 }
  /// The number of tiles of a table that the sessions of one owner can hold together: half of
  /// ``tiles``.
  public var tilesPerOwner: Int { max(1, tiles / 2) }
  /// The maximum number of different facets in use per table; further ones are refused.
  public var facets: Int { 32 }
  /// The maximum number of facets of a session.
  public var facetsPerSession: Int { 8 }
  /// The number of facets of a table that the sessions of one owner can hold together: half of
  /// ``facets``.
  public var facetsPerOwner: Int { max(1, facets / 2) }
  /// The maximum number of different values of a facet; beyond it they are not counted.
  public var facetValues: Int { 10_000 }
  /// The maximum number of values that a report of a facet names.
  public var facetShown: Int { 50 }
  /// The maximum size in bytes of the different texts of a facet; beyond it they are not counted.
  public var facetBytes: Int { 4 << 20 }
  /// The maximum number of pinned rows of a session.
  public var pinsPerSession: Int { 10 }
  /// The approximate memory in bytes of all windows of a table: half of ``viewBytes``.
  public var windowBytes: Int { viewBytes / 2 }

  /// Creates the default limits.
  public init() {}
}
