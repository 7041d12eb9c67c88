/// A view that is read from its first row to its last: one of rows that are here, or of rows that stay at their source.
protocol RowExport: AnyObject {
  var number: UInt64 { get }
  /// Whether ``read(_:)`` has something to say.
  var isReady: Bool { get }
  /// Whether ``work()`` brings it further.
  var isBuilding: Bool { get }
  /// What of the table's log is still needed.
  var logPosition: Int? { get }
  /// How many changes its order has not taken over.
  var backlog: Int { get }
  /// Does one bounded step towards the order.
  func work()
  /// Reads up to so many rows further.
  func read(_ count: Int) -> ExportSlice
}

/// Names an export of the engine.
public struct ExportID: Hashable, Sendable {
  /// The table that is read.
  public let table: TableID
  let number: UInt64
}

/// The next rows of an export.
public enum ExportSlice: Sendable {
  /// The order is being put together, or the source has not given the next rows yet: ask again after another turn.
  case notYet
  /// The next rows, cell by cell in the order of the columns; fewer than asked for, even none, when some have gone meanwhile.
  case rows([[Cell]])
  /// All were read.
  case end
  /// The source cannot do all of the query, and too many rows are left for the engine to do it. No row has come, and none will.
  case refused(ClientError)
  /// The source did not give the next rows however often it was asked, for this reason: what has come is not all, and no more will.
  case failed(String)
}
