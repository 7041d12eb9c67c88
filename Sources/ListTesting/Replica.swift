import ListEngine

/// A client's copy of its window, which applies patches exactly as docs/protocol.md specifies and
/// checks them like a client.
///
/// It uses only what is sent, never the engine's own window.
public struct Replica: Sendable {
  /// An item of the copy.
  public enum Item: Hashable, Sendable {
    /// A row; without cells while it is not loaded.
    case row(id: RowID, revision: UInt32, cells: [Cell])
    /// A section's header.
    case header(HeaderSnapshot)
  }

  /// The reason why a patch does not fit.
  public enum Mismatch: Error, Hashable, Sendable {
    /// The patch has a different base than the copy.
    case base(held: UInt64, wanted: UInt64)
    /// The patch's counts are inconsistent, or contradict the copy.
    case count
    /// An index is out of range or duplicate.
    case index(Int)
    /// The result's digest differs from the engine's.
    case digest
  }

  /// The position of the first item.
  public private(set) var start = 0
  /// The number of items of the view.
  public private(set) var total = 0
  /// The number of rows of the view.
  public private(set) var rows = 0
  /// The accuracy of the row count.
  public private(set) var accuracy = CountAccuracy.exact
  /// The query's aggregates over all rows.
  public private(set) var totals: [Cell] = []
  /// The items of the window.
  public private(set) var items: [Item] = []
  /// The headers above the window, outermost first.
  public private(set) var lead: [HeaderSnapshot] = []
  /// The pending changes while the order is held.
  public private(set) var held: Held?
  /// The sequence number of the last applied delivery; 0 before the first window.
  public private(set) var sequence: UInt64 = 0

  /// The reasons why rows are not loaded, by row.
  public private(set) var absences: [RowID: Missing] = [:]
  /// The deferred cells without a value, by row and column.
  public private(set) var missing: [RowID: [Int: Missing]] = [:]

  /// Creates an empty copy.
  public init() {}

  /// Applies a window or patch; on an error the copy is unchanged.
  public mutating func apply(_ delivery: Delivery) throws(Mismatch) {
    let patch = delivery.patch
    let next = patch.base == nil ? try window(patch) : try patched(delivery)
    let digest = Self.digest(start: patch.result.start, total: patch.result.total, lead: patch.result.lead, items: next)
    guard digest == patch.result.digest else { throw .digest }
    takeMissing(patch, next)
    items = next
    start = patch.result.start
    total = patch.result.total
    rows = patch.result.rows
    accuracy = patch.result.accuracy
    totals = patch.result.totals
    lead = patch.result.lead
    held = patch.result.held
    sequence = delivery.sequence
  }

  /// Updates the state of deferred cells, which is sent together with the cells.
  private mutating func takeMissing(_ patch: Patch, _ items: [Item]) {
    for update in patch.updatedRows {
      for column in update.columns { missing[update.row.id, default: [:]][column] = update.row.missing(column) }
    }
    let whole = patch.base == nil ? patch.result.items : patch.inserted.map { patch.result.items[$0.index] }
    if patch.base == nil { absences = [:] }
    for case .row(let row) in whole { absences[row.id] = row.absence }
    if !absences.isEmpty {
      let held = Set(items.compactMap { if case .row(let id, _, _) = $0 { id } else { nil } })
      absences = absences.filter { held.contains($0.key) }
    }
    for case .row(let row) in whole {
      missing[row.id] =
        row.missing.isEmpty ? nil : Dictionary(uniqueKeysWithValues: row.missing.map { ($0.column, $0.why) })
    }
    guard !missing.isEmpty else { return }
    let held = Set(items.compactMap { if case .row(let id, _, _) = $0 { id } else { nil } })
    missing = missing.filter { held.contains($0.key) && !$0.value.isEmpty }
  }

  private func window(_ patch: Patch) throws(Mismatch) -> [Item] {
    patch.result.items.map { Self.item($0) }
  }

  private func patched(_ delivery: Delivery) throws(Mismatch) -> [Item] {
    let patch = delivery.patch
    guard delivery.base == sequence else { throw .base(held: sequence, wanted: delivery.base) }
    guard patch.before == items.count, patch.before + patch.inserted.count - patch.removed.count == patch.after else {
      throw .count
    }
    var old: [Item?] = items
    var next: [Item?] = Array(repeating: nil, count: patch.after)
    for update in patch.updatedRows {
      guard old.indices.contains(update.index), case .row(let id, _, var cells) = old[update.index] else {
        throw .index(update.index)
      }
      for column in update.columns { cells[column] = update.row.cells[column] }
      old[update.index] = .row(id: id, revision: update.row.revision, cells: cells)
    }
    for (index, header) in patch.updatedHeaders {
      guard old.indices.contains(index), case .header = old[index] else { throw .index(index) }
      old[index] = .header(header)
    }
    func place(_ item: Item, at index: Int) throws(Mismatch) {
      guard next.indices.contains(index), next[index] == nil else { throw .index(index) }
      next[index] = item
    }
    for (index, _) in patch.inserted { try place(Self.item(patch.result.items[index]), at: index) }
    for (from, to) in patch.moved {
      guard old.indices.contains(from), let item = old[from] else { throw .index(from) }
      old[from] = nil
      try place(item, at: to)
    }
    for (index, _) in patch.removed {
      guard old.indices.contains(index), old[index] != nil else { throw .index(index) }
      old[index] = nil
    }
    var empty = 0
    for case .some(let item) in old {
      while empty < next.count && next[empty] != nil { empty += 1 }
      guard empty < next.count else { throw .count }
      next[empty] = item
    }
    let full = next.compactMap { $0 }
    guard full.count == patch.after else { throw .count }
    return full
  }

  /// Returns the item without the parts that are not sent.
  private static func item(_ item: WindowItem) -> Item {
    switch item {
    case .row(let row): .row(id: row.id, revision: row.revision, cells: row.cells)
    case .header(let header): .header(header)
    }
  }

  private static func digest(start: Int, total: Int, lead: [HeaderSnapshot], items: [Item]) -> UInt32 {
    var digest = Digest(start: start, total: total)
    for header in lead { digest.add(leadSection: header.section, revision: header.revision) }
    for item in items {
      switch item {
      case .row(let id, let revision, _): digest.add(row: id, revision: revision)
      case .header(let header):
        digest.add(section: header.section, revision: header.revision, isCollapsed: header.isCollapsed)
      }
    }
    return digest.value
  }

  /// Corrupts the copy like a faulty client or a lost message, to test recovery.
  public mutating func spoil() {
    if items.isEmpty { total += 1 } else { items.removeLast() }
  }

  /// The headers above and in the window.
  public var headers: [HeaderSnapshot] {
    lead + items.compactMap { if case .header(let header) = $0 { header } else { nil } }
  }

  /// Returns the values of a header's section from the outermost level; `nil` if an outer header is
  /// missing.
  public func path(of header: HeaderSnapshot) -> [Cell]? {
    guard let parent = header.parent else { return [header.value] }
    guard let outer = headers.first(where: { $0.section == parent }) else { return nil }
    return path(of: outer).map { $0 + [header.value] }
  }

  /// The rows of the window, without headers.
  public var cells: [[Cell]] {
    items.compactMap { if case .row(_, _, let cells) = $0, !cells.isEmpty { cells } else { nil } }
  }
}
