extension ListView {
  var accuracy: CountAccuracy { .exact }
  var isInOrder: Bool { build == nil }
  var awaitsSource: Bool { false }
  var holdsAllRows: Bool { true }
  var totals: [Cell] { aggregates(of: root) }
  var logPosition: Int { build?.position ?? settledPosition }

  func insertion(of row: RowSnapshot, since commit: UInt32) -> InsertionReason {
    guard let slot = table.slot(of: row.id) else { return .scrolled }
    if table.isNew(slot, since: commit) { return .new }
    return table.hasChanged(slot, since: commit) ? .moved : .scrolled
  }

  func removal(of row: RowSnapshot, since commit: UInt32) -> RemovalReason {
    guard let slot = table.slot(of: row.id), contains(slot) else { return .gone }
    return table.hasChanged(slot, since: commit) ? .moved : .scrolled
  }

  /// Returns the section with this path, from the outermost section's value to its own.
  ///
  /// - Complexity: O(log sections) for each level.
  func section(at path: [Cell]) -> Section? {
    var section: Section? = root
    for (value, column) in zip(path, groups) {
      section = section?.sections.section(value, column.collationKey(of: value))
    }
    return path.count <= groups.count ? section : nil
  }

  /// Returns the sections that contain the item at this position and begin above it, outermost
  /// first.
  ///
  /// - Complexity: O(log n).
  func sections(above position: Int) -> [Section] {
    guard isGrouped, position < itemCount else { return [] }
    var above: [Section] = []
    var section = root
    var rest = position
    while hasSections(section) {
      (section, rest) = section.sections.find(rest)
      guard rest > 0 else { break }
      rest -= 1
      above.append(section)
    }
    return above
  }

  /// Returns whether all values that determine a row's position equal those of a snapshot.
  func keepsPlace(_ slot: UInt32, since snapshot: RowSnapshot, relabelings: Int) -> Bool {
    guard contains(slot) else { return false }
    if relabelings == table.relabelings && table.labels[slot] != snapshot.label { return false }
    for term in query.sort where table.columns[term.column].cell(slot) != snapshot.cells[term.column] { return false }
    for (column, grouping) in zip(groups, query.groupings)
    where column.section(of: slot) != grouping.section(of: snapshot.cells[grouping.column]) { return false }
    return true
  }
}
