extension TableState {
  /// The values for a table that replaces this one, or `nil` if no row ids are left.
  ///
  /// - Precondition: The table has no sessions.
  var handover: TableHandover? {
    var next = origin
    let used = UInt64(table.ids.number) + UInt64(table.slots)
    guard used <= UInt64(TableHandover.greatestNumber) else { return nil }
    next.generation += 1
    next.firstNumber = UInt32(used)
    backend.handOver(to: &next)
    next.lastExport = exports.last
    next.departed = counters
    next.statusChanges = source.changes
    return next
  }
}
