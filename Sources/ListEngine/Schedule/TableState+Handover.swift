extension TableState {
  /// What the table that takes the place of this one must not use again; `nil` when it has had so many rows that no ids are left.
  ///
  /// - Precondition: Nobody looks at this one any more.
  var handover: TableHandover? {
    var next = origin
    let used = UInt64(table.ids.number) + UInt64(table.slots)
    guard used <= UInt64(TableHandover.greatestNumber) else { return nil }
    next.generation += 1
    next.firstNumber = UInt32(used)
    if let windowed {
      (next.firstRequest, next.firstExportRequest) = windowed.nextRequests
      next.remainderGenerations = windowed.remainderGenerations
    }
    next.lastExport = exports.last
    next.departed = counters
    next.statusChanges = statusChanges
    return next
  }
}
