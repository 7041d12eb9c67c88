import ListEngine

/// A page's copy of its window: applies patches by the letter of docs/protocol.md, and checks everything a page checks.
///
/// It never looks at the engine's own window, only at what travels.
public struct Replica: Sendable {
  /// One line of the copy.
  public enum Item: Hashable, Sendable {
    /// A row; without cells when it is not there yet.
    case row(id: RowID, revision: UInt32, cells: [Cell])
    /// A section's header.
    case header(HeaderSnapshot)
  }

  /// Why a patch does not fit.
  public enum Mismatch: Error, Hashable, Sendable {
    /// It applies to another window than the one held.
    case base(held: UInt64, wanted: UInt64)
    /// Its counts contradict each other, or what is held.
    case count
    /// An index is out of range, or named twice.
    case index(Int)
    /// The result is not what the engine has.
    case digest
  }

  /// The position of the first item.
  public private(set) var start = 0
  /// How many items the view has.
  public private(set) var total = 0
  /// How many of them are rows.
  public private(set) var rows = 0
  /// How sure that is.
  public private(set) var accuracy = CountAccuracy.exact
  /// What the query asks of all rows.
  public private(set) var totals: [Cell] = []
  /// The items.
  public private(set) var items: [Item] = []
  /// The headers above the window, outermost first.
  public private(set) var lead: [HeaderSnapshot] = []
  /// What waits while the order is held.
  public private(set) var held: Held?
  /// The number of what was applied last; 0 before the first window.
  public private(set) var sequence: UInt64 = 0

  /// By place, why rows are not there.
  public private(set) var absences: [RowID: Missing] = [:]
  /// By row, the cells of deferred columns that show no value.
  public private(set) var missing: [RowID: [Int: Missing]] = [:]

  /// An empty copy.
  public init() {}

  /// Takes a window or patch, or leaves the copy untouched and says why.
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

  /// What a cell shows in the place of a value travels with the cell.
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

  /// The item as it travels: with nothing that the engine keeps to itself.
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

  /// Spoils the copy as a faulty page or a lost message would, so that tests see it healed.
  public mutating func spoil() {
    if items.isEmpty { total += 1 } else { items.removeLast() }
  }

  /// The headers above it and in it.
  public var headers: [HeaderSnapshot] {
    lead + items.compactMap { if case .header(let header) = $0 { header } else { nil } }
  }

  /// The values of a header's section, from the outermost section's to its own; `nil` when a header around it is not held.
  public func path(of header: HeaderSnapshot) -> [Cell]? {
    guard let parent = header.parent else { return [header.value] }
    guard let outer = headers.first(where: { $0.section == parent }) else { return nil }
    return path(of: outer).map { $0 + [header.value] }
  }

  /// The rows in it, without headers.
  public var cells: [[Cell]] {
    items.compactMap { if case .row(_, _, let cells) = $0, !cells.isEmpty { cells } else { nil } }
  }
}
