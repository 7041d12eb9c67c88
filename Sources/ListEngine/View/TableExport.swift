/// A view that is read from its first row to its last in slices, while its table goes on changing.
///
/// What it promises: the order and the choice of rows are those of one moment, when the order was ready. Each of these rows comes exactly
/// once, whole and as it is when its turn comes, unless it has gone by then. Rows that came later do not.
///
/// It has a view of its own, which no page looks at: what pages are sent does not depend on who takes a table away. It holds four bytes
/// for each row that is still to come, and no row.
final class TableExport: RowExport {
  let number: UInt64
  private let table: Table
  /// The number of leading columns that are read.
  private let columnCount: Int
  /// What is to be read, until the order is noted.
  private var view: ListView?
  /// Whether the view is in order, and stands still from then on.
  private var isInOrder = false
  private var slots: [UInt32] = []
  /// How many of the view's items were noted.
  private var noted = 0
  private var next = 0
  /// What was born after it is none of ours, though it may lie where one of ours lay.
  private var commit: UInt32 = 0

  /// How many items are noted in one step.
  private static let stride = 65_536

  init(_ number: UInt64, of table: Table, query: Query) {
    self.number = number
    self.table = table
    columnCount = query.isRestricted ? table.schema.publicColumnCount : table.columns.count
    let view = ListView(query, table: table)
    self.view = view
    if view.build == nil, view.catchUp(atMost: table.limits.turnRows) { beginNoting(view) }
  }

  var isReady: Bool { view == nil }
  var isBuilding: Bool { !isReady }
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
