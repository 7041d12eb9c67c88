/// Names an export of the engine.
public struct ExportID: Hashable, Sendable {
  /// The table that is read.
  public let table: TableID
  let number: UInt64
}

/// The next rows of an export.
public enum ExportSlice: Sendable {
  /// The view is being put together: ask again after another turn.
  case notYet
  /// The next rows, cell by cell in the order of the columns; fewer than asked for, even none, when some have gone meanwhile.
  case rows([[Cell]])
  /// All were read.
  case end
}

/// A view that is read from its first row to its last in slices, while its table goes on changing.
///
/// What it promises: the order and the choice of rows are those of one moment, the export's beginning. Each of these rows comes exactly
/// once, whole and as it is when its turn comes, unless it has gone by then. Rows that came later do not.
///
/// It holds four bytes for each row that is still to come, and no row.
final class TableExport {
  let number: UInt64
  private let table: Table
  /// What is to be read, until the order is known.
  private(set) var view: ListView?
  private var slots: [UInt32] = []
  private var next = 0
  /// What was born after it is none of ours, though it may lie where one of ours lay.
  private var commit: UInt32 = 0

  init(_ number: UInt64, of table: Table, view: ListView) {
    self.number = number
    self.table = table
    self.view = view
  }

  /// How many rows are looked up at once while the order is noted.
  private static let stride = 4_096

  /// Notes the order, as soon as there is one.
  ///
  /// - Returns: the view when it is not needed any more.
  func noteOrder() -> ListView? {
    guard let view, view.build == nil else { return nil }
    view.catchUp()
    guard view.build == nil else { return nil }
    slots.reserveCapacity(view.rowCount)
    var start = 0
    while start < view.itemCount {
      let end = min(start + Self.stride, view.itemCount)
      for case .row(let slot) in view.items(start..<end) { slots.append(slot) }
      start = end
    }
    commit = table.commit
    self.view = nil
    return view
  }

  func read(_ count: Int) -> ExportSlice {
    guard view == nil else { return .notYet }
    guard next < slots.count else { return .end }
    let end = min(next + count, slots.count)
    defer { next = end }
    return .rows(
      slots[next..<end].compactMap { slot in
        table.isAlive(slot) && !table.isNew(slot, since: commit) ? table.columns.map { $0.cell(slot) } : nil
      })
  }
}
