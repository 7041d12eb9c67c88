/// Loads deferred cells: those of columns with `isDeferred`, which cost time to get.
///
///     var loader: CellLoader? {
///       CellLoader(inFlight: 4, patience: .seconds(10)) { cell in
///         try rating(of: cell.key)               // may take its time; others are loaded meanwhile
///       }
///     }
///
/// The host asks where someone looks, the most urgent first. What is cancelled before its turn is never loaded; a load that is under way may
/// look at ``DeferredCell/isCancelled``.
public struct CellLoader: Sendable {
  /// How many cells it loads at once, each on a thread of its own; 1 to 64.
  public var inFlight: Int
  /// How long a load may take; at most an hour.
  public var patience: Duration
  /// Whether to finish loads that nobody waits for any more.
  public var prefersToFinish: Bool
  /// Loads a cell; an error is shown in its place, and it is asked for again after a pause.
  public var load: @Sendable (DeferredCell) throws -> any CellValue

  /// Eight at once, for a minute each, cancelled when nobody waits, unless told otherwise.
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
