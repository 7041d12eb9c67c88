/// The aggregates of a view's sections, maintained incrementally.
///
/// Tables change in place, so the view stores the value that each row contributed. The first and
/// the last value are not stored: they are read from the order of the rows.
final class Aggregation: Discardable {
  private struct Column {
    let store: ColumnStore
    let needs: Tally.Needs
    /// The value that each row contributed.
    let words = Chunked<UInt64>(filler: 0)
    /// Whether each row contributed a value.
    let isAdded = Chunked<Bool>(filler: false)
    /// The contributed texts, because a text may be gone from its column before it is removed here.
    let texts: TextPool?
  }

  /// The place of an aggregate's value.
  private enum Source {
    /// The tally with this index in `columns`.
    case tally(Int)
    /// The cell of a section's first or last row.
    case order(ColumnStore)
  }

  private let aggregates: [Aggregate]
  private let columns: [Column]
  /// The place of each aggregate's value.
  private let sources: [Source]
  private let noTallies: [Tally]
  /// The columns that affect an aggregate, as a bit set; see ``ChangeLog/Entry/columns``.
  let interest: UInt64
  /// The aggregates of a section without known values: all null.
  let nothing: [Cell]
  /// A buffer of the values being added, kept to avoid allocations.
  private var added: [UInt64] = []

  /// Creates the state, or returns `nil` if the query has no aggregates.
  init?(_ query: Query, table: Table) {
    guard !query.aggregates.isEmpty else { return nil }
    aggregates = query.aggregates
    nothing = aggregates.map { _ in .null }
    var numbers: [Int] = []
    for aggregate in aggregates where !aggregate.function.needsOrder && !numbers.contains(aggregate.column) {
      numbers.append(aggregate.column)
    }
    sources = aggregates.map { aggregate in
      aggregate.function.needsOrder
        ? .order(table.columns[aggregate.column]) : .tally(numbers.firstIndex(of: aggregate.column)!)
    }
    columns = numbers.map { number in
      let store = table.columns[number]
      var needs = Tally.Needs(store.type)
      for aggregate in query.aggregates where aggregate.column == number { needs.add(aggregate.function) }
      let isText = store.type == .text || store.type == .image || store.type == .series
      return Column(
        store: store, needs: needs, texts: isText ? TextPool(hasher: table.hasher, mayStopSharing: false) : nil)
    }
    noTallies = columns.map { Tally($0.needs) }
    interest = aggregates.reduce(0) { $0 | 1 << UInt64($1.column & 63) }
  }

  deinit {
    for column in columns {
      column.words.deallocate()
      column.isAdded.deallocate()
    }
  }

  /// Makes room for this many slots.
  func grow(to count: Int) {
    for column in columns {
      column.words.grow(to: count)
      column.isAdded.grow(to: count)
    }
  }

  /// Frees up to `most` pieces of memory, and returns how many.
  ///
  /// The aggregates must not be used afterwards.
  func free(atMost most: Int) -> Int {
    var freed = 0
    for column in columns {
      freed += column.words.shrink(atMost: most - freed)
      freed += column.isAdded.shrink(atMost: most - freed)
    }
    return freed
  }

  /// Adds rows, given by the lower halves of the entries, to a section and its ancestors.
  ///
  /// Adding many rows at a time costs less than adding them one by one.
  ///
  /// - Complexity: Amortized O(log rows) for each row, column and level.
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

  /// Removes a row's contribution from a section and its ancestors.
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

  /// Returns the aggregates of a section in the order of the query.
  ///
  /// - Complexity: O(log rows) for each aggregate, amortized.
  func values(of section: Section) -> [Cell] {
    if section.tallies.isEmpty { section.tallies = noTallies }
    return zip(aggregates, sources).map { aggregate, source in
      switch source {
      case .tally(let index): section.tallies[index].value(aggregate.function)
      case .order(let store):
        (aggregate.function == .first ? section.firstRow : section.lastRow).map { store.cell($0) } ?? .null
      }
    }
  }

  /// Checks that each row of a section has contributed its non-null cells.
  func checkInvariants(of section: Section, rows: [UInt32]) {
    #if CHECK_INVARIANTS
      for column in columns {
        let added = rows.count { column.isAdded[$0] }
        let wanted = rows.count { !column.store.isNull($0) }
        precondition(added == wanted, "section \(section.number) has added \(added) cells of \(wanted)")
        column.texts?.checkInvariants()
      }
      for tally in section.tallies { tally.checkInvariants() }
    #endif
  }
}
