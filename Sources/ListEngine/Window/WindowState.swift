/// One row as it was at one revision: immutable, and shared by every session that sees it.
public final class RowSnapshot {
  /// Which row.
  public let id: RowID
  /// Changes whenever the row shows something else.
  public let revision: UInt32
  /// One per column.
  public let cells: [Cell]
  /// The cells of deferred columns that have no value, by ascending column; their places in `cells` are null.
  public let missing: [MissingCell]
  /// Why nothing of the row is there, when its source keeps the rows and has not given this one; `nil` when the row is there. Then it has
  /// no cells, and its id names a place for it and not the row.
  public let absence: Missing?
  /// The row's place in the source's own order; tells that a row was moved.
  let label: UInt64

  /// A place for the wire's encoding of this row, so that it is made once and goes when the row does.
  public var encoded: EncodedRow?

  init(id: RowID, revision: UInt32, cells: [Cell], label: UInt64, missing: [MissingCell] = []) {
    self.id = id
    self.revision = revision
    self.cells = cells
    self.label = label
    self.missing = missing
    absence = nil
  }

  /// Stands for a row that is not there.
  init(id: RowID, revision: UInt32 = 1, absence: Missing) {
    (self.id, self.revision, cells, label, missing) = (id, revision, [], 0, [])
    self.absence = absence
  }

  /// Why a cell shows no value; `nil` when it shows one.
  ///
  /// - Complexity: O(cells that show none).
  public func missing(_ column: Int) -> Missing? { missing.isEmpty ? nil : missing.first { $0.column == column }?.why }

  /// Whether a cell shows what it shows in another revision of the row.
  func shows(_ column: Int, asIn other: RowSnapshot) -> Bool {
    cells[column] == other.cells[column] && missing(column) == other.missing(column)
  }
}

/// The bytes of a row's cells, one after the other.
public struct EncodedRow: Sendable {
  /// All cells, without anything between them.
  public var bytes: [UInt8]
  /// Where each cell ends in `bytes`.
  public var ends: [Int32]

  /// The encoding with these cells.
  public init(bytes: [UInt8], ends: [Int32]) {
    self.bytes = bytes
    self.ends = ends
  }
}

/// A section's header as a page shows it.
public struct HeaderSnapshot: Hashable, Sendable {
  /// Names the section as long as its view exists.
  public var section: UInt32
  /// Changes whenever the header shows something else.
  public var revision: UInt32
  /// The header's place in the page's pool of headers; lent by the ``HeaderPool``.
  public var slot: UInt32
  /// How many sections the section lies in.
  public var level = 0
  /// The number of the section it lies in.
  public var parent: UInt32?
  /// The column of this level.
  public var column: Int
  /// The value of that column that the section's rows have in common.
  public var value: Cell
  /// How many rows it has.
  public var count: Int
  /// The query's aggregates of it, in the order of the query.
  public var aggregates: [Cell] = []
  /// Whether the page shows the header only.
  public var isCollapsed = false
}

/// One line of a window.
public enum WindowItem {
  /// A row.
  case row(RowSnapshot)
  /// The header directly before a section's rows, or before the first of its sections.
  case header(HeaderSnapshot)
}

/// What a page holds: consecutive items of a view as they were at one moment. Immutable.
public final class WindowState {
  /// The position of the first item in the view.
  public let start: Int
  /// How many items the view has.
  public let total: Int
  /// How many rows it has, those of collapsed sections too.
  public let rows: Int
  /// How sure `rows` is.
  public let accuracy: CountAccuracy
  /// The query's aggregates of all rows, in the order of the query.
  public let totals: [Cell]
  /// The items from `start` on.
  public let items: [WindowItem]
  /// The headers of the sections in which the first item lies and that are above it, outermost first.
  public let lead: [HeaderSnapshot]
  /// What waits while the order is held; `nil` when everything is where it belongs.
  public let held: Held?
  /// The items as they were when each stood where it belonged; others than `items` only while the order is held.
  let placed: [WindowItem]
  /// Proves that two copies are equal; see docs/protocol.md.
  public let digest: UInt32
  /// Which headers of the page are lent to which section.
  let pool: HeaderPool
  /// The engine's count of changes when this was cut, or when the order began to be held.
  let commit: UInt32
  /// The table's count of relabelings then.
  let relabelings: Int

  init(
    start: Int, total: Int, rows: Int, accuracy: CountAccuracy = .exact, totals: [Cell] = [], items: [WindowItem],
    lead: [HeaderSnapshot],
    pool: HeaderPool,
    commit: UInt32, relabelings: Int = 0, held: Held? = nil, placed: [WindowItem]? = nil
  ) {
    self.start = start
    self.total = total
    self.rows = rows
    self.accuracy = accuracy
    self.totals = totals
    self.items = items
    self.lead = lead
    self.pool = pool
    self.commit = commit
    self.relabelings = relabelings
    self.held = held
    self.placed = placed ?? items
    digest = Digest.of(start: start, total: total, lead: lead, items: items)
  }

  /// The values of a section whose header is in it, from the outermost section's to its own.
  func path(of section: UInt32) -> [Cell]? {
    var path: [Cell] = []
    var wanted: UInt32? = section
    let headers = lead + items.compactMap { if case .header(let header) = $0 { header } else { nil } }
    for header in headers.reversed() where header.section == wanted {
      path.insert(header.value, at: 0)
      wanted = header.parent
      if wanted == nil { return path }
    }
    return nil
  }
}
