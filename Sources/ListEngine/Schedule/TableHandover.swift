/// What a table that takes the place of another one must not use again: who knew the former one may still name it.
struct TableHandover {
  /// How many tables had its place before.
  var generation = 0
  /// The number of the first row's slot in its id.
  var firstNumber: UInt32 = 0
  /// The first request to a windowed source.
  var firstRequest: UInt64 = 1
  /// The first of those for what is taken away.
  var firstExportRequest = PageRequestID.firstForExports
  /// Where the ids of what the engine did of queries that a windowed source cannot do begin; see ``ResidualLanes``.
  var remainderGenerations: [UInt32] = []
  /// The last export of the former table.
  var lastExport: UInt64 = 0
  /// How often the state of the former table's source has changed.
  var statusChanges: UInt64 = 0
  /// What was done for pages of the former table.
  var departed = EngineCounters()

  /// Beyond it no other table may follow: its rows would run out of ids.
  static let greatestNumber = ResidualLanes.firstNumber
}

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
