/// Keeps what a view's query asks of its sections up to date, cell by cell.
///
/// A table changes in place, so what a row held before is known only here: of each row the view remembers what it added.
final class Aggregation {
  private struct Column {
    let store: ColumnStore
    let needs: Tally.Needs
    /// What each row added, and whether it did.
    let words = Chunked<UInt64>(filler: 0)
    let isAdded = Chunked<Bool>(filler: false)
    /// A text may be gone from its column before it is taken away here.
    let texts: TextPool?
  }

  private let aggregates: [Aggregate]
  private let columns: [Column]
  /// For each aggregate, the index of its column.
  private let sources: [Int]
  private let noTallies: [Tally]
  /// The columns whose change changes an aggregate; see ``ChangeLog/Entry/columns``.
  let interest: UInt64
  /// What is shown as long as nothing is known.
  let nothing: [Cell]
  /// The words that are being added; kept, so that adding allocates nothing.
  private var added: [UInt64] = []

  /// `nil` when the query asks for nothing.
  init?(_ query: Query, table: Table) {
    guard !query.aggregates.isEmpty else { return nil }
    aggregates = query.aggregates
    nothing = aggregates.map { _ in .null }
    var numbers: [Int] = []
    for aggregate in aggregates where !numbers.contains(aggregate.column) { numbers.append(aggregate.column) }
    sources = aggregates.map { aggregate in numbers.firstIndex(of: aggregate.column)! }
    columns = numbers.map { number in
      let store = table.columns[number]
      var needs = Tally.Needs(store.type)
      for aggregate in query.aggregates where aggregate.column == number { needs.add(aggregate.function) }
      let isText = store.type == .text || store.type == .image || store.type == .series
      return Column(
        store: store, needs: needs, texts: isText ? TextPool(hasher: table.hasher, mayStopSharing: false) : nil)
    }
    noTallies = columns.map { Tally($0.needs) }
    interest = numbers.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  deinit {
    for column in columns {
      column.words.deallocate()
      column.isAdded.deallocate()
    }
  }

  /// Makes room for rows in so many slots.
  func grow(to count: Int) {
    for column in columns {
      column.words.grow(to: count)
      column.isAdded.grow(to: count)
    }
  }

  /// Rows came into a section; they are in the lower halves of these entries.
  ///
  /// - Complexity: O(log rows) for each row, column and level, amortized. Many at a time cost less than each by itself.
  func add(_ entries: UnsafeBufferPointer<UInt64>, to section: Section) {
    for (index, column) in columns.enumerated() {
      added.removeAll(keepingCapacity: true)
      for entry in entries {
        let slot = UInt32(truncatingIfNeeded: entry)
        guard !column.store.isNull(slot) else { continue }
        let word =
          column.texts.map { UInt64($0.take(column.store.bytes(slot))) }
          ?? column.store.sortKey(slot, descending: false)
        column.words[slot] = word
        column.isAdded[slot] = true
        added.append(word)
      }
      if !added.isEmpty { forEach(from: section) { $0.tallies[index].add(added) } }
    }
  }

  /// A row goes out of a section, or is about to be looked at again: what it added is taken away.
  func remove(_ slot: UInt32, from section: Section) {
    for (index, column) in columns.enumerated() where column.isAdded[slot] {
      let word = column.words[slot]
      column.isAdded[slot] = false
      forEach(from: section) { $0.tallies[index].remove(word) }
      column.texts?.release(UInt32(truncatingIfNeeded: word))
    }
  }

  private func forEach(from section: Section, _ body: (Section) -> Void) {
    var section = section
    while true {
      if section.tallies.isEmpty { section.tallies = noTallies }
      body(section)
      guard let parent = section.parent else { return }
      section = parent
    }
  }

  /// What the query asks of a section, in the order of the query.
  func values(of section: Section) -> [Cell] {
    if section.tallies.isEmpty { section.tallies = noTallies }
    return zip(aggregates, sources).map { section.tallies[$1].value($0.function) }
  }

  /// Whether the sections' tallies say what their rows do.
  func checkInvariants(of section: Section, rows: [UInt32]) {
    #if CHECK_INVARIANTS
      for column in columns {
        let added = rows.count { column.isAdded[$0] }
        let wanted = rows.count { !column.store.isNull($0) }
        precondition(added == wanted, "section \(section.number) has added \(added) cells of \(wanted)")
        column.texts?.checkInvariants()
      }
    #endif
  }
}
