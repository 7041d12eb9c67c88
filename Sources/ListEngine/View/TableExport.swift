/// An export of a resident table, read in slices while the table keeps changing.
///
/// The set of rows and their order are those of the moment at which the order was complete. Each of
/// these rows is returned exactly once with its current cells, unless it has been deleted. Rows
/// inserted later are not returned.
///
/// An export has a view of its own, so that it does not affect what clients are sent. It stores
/// four bytes for each row and no cells.
final class TableExport: RowExport {
  let number: UInt64
  private let table: Table
  /// The number of leading columns to read.
  private let columnCount: Int
  /// The view to read, until its order has been copied.
  private var view: ListView?
  /// Whether the view's order is complete; it is frozen from then on.
  private var isInOrder = false
  private var slots: [UInt32] = []
  /// The number of view items copied so far.
  private var noted = 0
  private var next = 0
  /// The commit of the order; a row inserted later may reuse a slot and is skipped.
  private var commit: UInt32 = 0

  /// The number of items copied in one step.
  private static let stride = 65_536

  /// Creates an export; ages in the filter are those at a time that stands still.
  init(_ number: UInt64, of table: Table, query: Query, wall: WallTime) {
    self.number = number
    self.table = table
    columnCount = query.isRestricted ? table.schema.publicColumnCount : table.columns.count
    let view = ListView(query, table: table, wall: wall)
    self.view = view
    if view.build == nil, view.catchUp(atMost: table.limits.turnRows) { beginNoting(view) }
  }

  var isReady: Bool { view == nil }
  var isBuilding: Bool { !isReady }
  var leftOut: Int { 0 }
  var logPosition: Int? { isInOrder ? nil : view?.logPosition }
  var backlog: Int { logPosition.map { table.log.end - $0 } ?? 0 }

  func work() {
    guard let view else { return }
    guard isInOrder else {
      if view.build != nil { return view.work() }
      if view.catchUp(atMost: table.limits.turnRows), view.build == nil { beginNoting(view) }
      return
    }
    let end = min(noted + Self.stride, view.itemCount)
    for case .row(let slot) in view.items(noted..<end) { slots.append(slot) }
    noted = end
    if noted == view.itemCount { self.view = nil }
  }

  private func beginNoting(_ view: ListView) {
    isInOrder = true
    commit = table.commit
    slots.reserveCapacity(view.rowCount)
    if view.itemCount <= Self.stride { work() }
  }

  func read(_ count: Int) -> ExportSlice {
    guard isReady else { return .notYet }
    guard next < slots.count else { return .end }
    let end = min(next + count, slots.count)
    defer { next = end }
    return .rows(
      slots[next..<end].compactMap { slot in
        table.isAlive(slot) && !table.isNew(slot, since: commit)
          ? table.columns.prefix(columnCount).map { $0.cell(slot) } : nil
      })
  }
}
