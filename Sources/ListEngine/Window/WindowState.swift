/// The header of a section, as a client shows it.
public struct HeaderSnapshot: Hashable, Sendable {
  /// The section's number, unique within its view.
  public var section: UInt32
  /// The revision, which changes with every visible change of the header.
  public var revision: UInt32
  /// The header's slot in the client's pool, assigned by ``HeaderPool``.
  public var slot: UInt32
  /// The nesting depth of the section, counted from 0.
  public var level = 0
  /// The number of the enclosing section.
  public var parent: UInt32?
  /// The number of the column by which this level is grouped.
  public var column: Int
  /// The value that the section's rows share in this column, or the lower bound of its range.
  public var value: Cell
  /// The first value after the section's range, or `nil` if there is none.
  public var end: Cell?
  /// The number of rows in the section.
  public var count: Int
  /// The section's aggregates, in query order.
  public var aggregates: [Cell] = []
  /// Whether the section is collapsed.
  public var isCollapsed = false
  /// The number of times the section was moved among its siblings; see ``ScrollAnchor``.
  var moves: UInt32 = 0
}

/// An item of a window.
public enum WindowItem {
  /// A row.
  case row(RowSnapshot)
  /// A section's header, directly before the section's first row or subsection.
  case header(HeaderSnapshot)
}

/// The immutable state of a client's window: consecutive items of a view at one time.
public final class WindowState {
  /// The position of the first item in the view.
  public let start: Int
  /// The number of items in the view.
  public let total: Int
  /// The number of rows in the view, including those of collapsed sections.
  public let rows: Int
  /// The accuracy of `rows`.
  public let accuracy: CountAccuracy
  /// The aggregates of all rows, in query order.
  public let totals: [Cell]
  /// The items from `start` on.
  public let items: [WindowItem]
  /// The headers above the window of the sections that contain the first item, outermost first.
  public let lead: [HeaderSnapshot]
  /// The changes that wait while the order is held, or `nil` if it is not held.
  public let held: Held?
  /// The items when each was last in its right place; equal to `items` unless the order is held.
  let placed: [WindowItem]
  /// The digest that clients compare with their copy; see `docs/protocol.md`.
  public let digest: UInt32
  /// The assignment of header slots to sections.
  let pool: HeaderPool
  /// The table's commit when the window was cut, or when its order was first held.
  let commit: UInt32
  /// The table's `relabelings` at `commit`.
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

  /// Returns the values of a section whose header is in the window, outermost section first.
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
