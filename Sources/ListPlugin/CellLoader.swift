/// Loads the cells of columns with `isDeferred`, whose values take time to get.
///
///     var loader: CellLoader? {
///       CellLoader(inFlight: 4, patience: .seconds(10)) { cell in
///         try rating(of: cell.key)               // may take its time; others are loaded meanwhile
///       }
///     }
///
/// The host requests visible cells, the most urgent first. A request that is cancelled before its
/// turn is dropped. A running load can check ``DeferredCell/isCancelled``.
public struct CellLoader: Sendable {
  /// The maximum number of concurrent loads, each on its own thread; 1 to 64.
  public var inFlight: Int
  /// The timeout of a load; at most an hour.
  public var patience: Duration
  /// Whether loads run to completion even if the cell is no longer visible.
  public var prefersToFinish: Bool
  /// Loads a cell.
  ///
  /// An error is shown in place of the value, and the host requests the cell again after a delay.
  public var load: @Sendable (DeferredCell) throws -> any CellValue

  /// Creates a loader.
  public init(
    inFlight: Int = 8, patience: Duration = .seconds(60), prefersToFinish: Bool = false,
    load: @escaping @Sendable (DeferredCell) throws -> any CellValue
  ) {
    self.inFlight = inFlight
    self.patience = patience
    self.prefersToFinish = prefersToFinish
    self.load = load
  }
}
