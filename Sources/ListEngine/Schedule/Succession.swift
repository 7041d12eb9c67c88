/// What a table that takes the place of another one must not use again: who knew the former one may still name it.
struct Succession {
  /// How many tables had its place before.
  var generation = 0
  /// The number of the first row's slot in its id.
  var firstNumber: UInt32 = 0
  /// The first request to a windowed source.
  var firstRequest: UInt64 = 1
  /// The first of those for what is taken away.
  var firstExportRequest = PageRequestID.firstForExports
  /// The last export of the former table.
  var lastExport: UInt64 = 0
  /// What was done for pages of the former table.
  var departed = EngineCounters()

  /// Beyond it no other table may follow: its rows would run out of ids.
  static let greatestNumber: UInt32 = 1 << 31
  /// So many ids are passed over besides, where tables of their own did what a source cannot.
  static let margin: UInt32 = 1 << 20
}

extension TableState {
  /// What the table that takes the place of this one must not use again; `nil` when it has had so many rows that no ids are left.
  ///
  /// - Precondition: Nobody looks at this one any more.
  var succession: Succession? {
    var next = origin
    let used = UInt64(table.firstNumber) + UInt64(table.slots) + (windowed == nil ? 0 : UInt64(Succession.margin))
    guard used <= UInt64(Succession.greatestNumber) else { return nil }
    next.generation += 1
    next.firstNumber = UInt32(used)
    if let windowed { (next.firstRequest, next.firstExportRequest) = windowed.nextRequests }
    next.lastExport = exports.last
    next.departed = counters
    return next
  }
}
