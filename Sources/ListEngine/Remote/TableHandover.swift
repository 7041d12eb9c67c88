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
