/// The identifiers and counters that a replacement table continues from the table it replaces.
///
/// Clients and sources may still refer to identifiers of the former table, so they are not reused.
struct TableHandover {
  /// The number of former tables in this place; with shared row ids see
  /// ``Schema/sharedGeneration(seed:)``.
  var generation = 0
  /// The number in the row id of the first slot.
  var firstNumber: UInt32 = 0
  /// The id of the first request to a windowed source.
  var firstRequest: UInt64 = 1
  /// The id of the first request of an export.
  var firstExportRequest = BlockRequestID.firstForExports
  /// The first generations of row ids for tables of residual queries; see ``ResidualLanes``.
  var residualGenerations: [UInt32] = []
  /// The number of the last export of the former table.
  var lastExport: UInt64 = 0
  /// The number of status changes of the former table's source.
  var statusChanges: UInt64 = 0
  /// The statistics of the former table's sessions.
  var departed = EngineCounters()

  /// The greatest first number; beyond it a replacement table would run out of row ids.
  static let greatestNumber = ResidualLanes.firstNumber
}
