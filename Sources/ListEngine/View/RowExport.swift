/// An export that reads a view from its first row to its last.
protocol RowExport: AnyObject {
  var number: UInt64 { get }
  /// Whether ``read(_:)`` can return a result other than ``ExportSlice/notYet``.
  var isReady: Bool { get }
  /// Whether ``work()`` can make progress.
  var isBuilding: Bool { get }
  /// The position in the table's log from which changes are still needed, or `nil` for none.
  var logPosition: Int? { get }
  /// The number of changes not yet applied to the export's view.
  var backlog: Int { get }
  /// The number of rows that did not match the schema and were left out.
  var leftOut: Int { get }
  /// Performs one bounded step of building the order.
  func work()
  /// Reads at most `count` rows.
  func read(_ count: Int) -> ExportSlice
}

/// Identifies an export of the engine.
public struct ExportID: Hashable, Sendable {
  /// The exported table.
  public let table: TableID
  let number: UInt64
}

/// The next rows of an export.
public enum ExportSlice: Sendable {
  /// The order is still being built, or the source has not answered yet; read again after another
  /// turn.
  case notYet
  /// The next rows, with the cells in column order.
  ///
  /// There may be fewer rows than requested, or none, because rows deleted since are skipped.
  case rows([[Cell]])
  /// All rows were read.
  case end
  /// Too many rows remain for the engine to do what the source cannot do.
  ///
  /// No rows were returned, and none will be.
  case refused(ClientError)
  /// The source failed to return the next rows after all retries, for this reason.
  ///
  /// The rows returned so far are incomplete, and no more will follow.
  case failed(String)
}
