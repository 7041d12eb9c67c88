extension ListView {
  var accuracy: CountAccuracy { .exact }
  var isInOrder: Bool { build == nil }
  var awaitsSource: Bool { false }
  var holdsAllRows: Bool { true }
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
}
