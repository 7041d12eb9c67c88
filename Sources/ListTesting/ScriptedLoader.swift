import ListEngine

/// A source's loader of deferred cells, with scripted delays, failures and missing answers.
///
///     var loader = ScriptedLoader(bound: 8)
///     loader.take(output, at: now) { cell in .init(after: .seconds(1), .fails("no such file")) }
///     loader.answers(until: now) { cell in .text("the value now") }     // inputs for the engine
///
/// It tracks the requests that the engine considers pending, and the engine's protocol errors.
public struct ScriptedLoader: Sendable {
  /// The outcome of a load.
  public enum End: Sendable {
    /// The load returns the value at that time.
    case loads
    /// The load fails with this reason.
    case fails(String)
    /// The load never ends.
    case isForgotten
  }

  /// The scripted behavior of one load.
  public struct Plan: Sendable {
    var delay: Duration
    var end: End
    var answersAfterCancel: Bool

    /// Creates a plan with a delay and an outcome. A cancelled load does not answer unless
    /// `answersAfterCancel`.
    public init(after delay: Duration, _ end: End = .loads, answersAfterCancel: Bool = false) {
      self.delay = delay
      self.end = end
      self.answersAfterCancel = answersAfterCancel
    }
  }

  /// An answer to the engine.
  public enum Answer: Sendable {
    /// The cell's value.
    case loaded(DeferredCell, Cell)
    /// The reason of a failure. `isAwaited`: whether the engine considers the request pending, and
    /// so accepts the answer.
    case failed(DeferredCell, String, isAwaited: Bool)

    /// Returns the answer as an input of the engine.
    public func input(_ table: TableID) -> Input {
      switch self {
      case .loaded(let cell, let value): .loaded(table, cell.key, column: cell.column, value)
      case .failed(let cell, let reason, _): .failed(table, cell.key, column: cell.column, reason: reason)
      }
    }
  }

  private struct Job {
    var cell: DeferredCell
    var due: Instant
    var plan: Plan
    var isCancelled = false
  }

  private let bound: Int
  private var jobs: [Job] = []
  /// The requested cells that are neither cancelled nor answered.
  public private(set) var inFlight: Set<DeferredCell> = []
  /// All requested cells in order.
  public private(set) var loads: [DeferredCell] = []
  /// All cancelled cells in order.
  public private(set) var cancels: [DeferredCell] = []
  /// The engine's protocol errors: duplicate requests, too many requests, or cancelling what is not
  /// pending.
  public private(set) var mistakes: [String] = []

  /// Creates a loader with a maximum number of pending cells.
  public init(bound: Int) { self.bound = bound }

  /// Processes the engine's requests and cancellations; other outputs are ignored.
  public mutating func take(_ output: Output, at now: Instant, plan: (DeferredCell) -> Plan) {
    switch output {
    case .load(_, let cells):
      for cell in cells {
        if !inFlight.insert(cell).inserted { mistakes.append("\(cell) is asked for twice") }
        loads.append(cell)
        let plan = plan(cell)
        jobs.append(Job(cell: cell, due: now.advanced(by: plan.delay), plan: plan))
      }
      if inFlight.count > bound { mistakes.append("\(inFlight.count) loads are in flight; \(bound) may be") }
    case .cancel(_, let cells):
      for cell in cells {
        if inFlight.remove(cell) == nil { mistakes.append("\(cell) is cancelled, but not in flight") }
        cancels.append(cell)
        for index in jobs.indices where jobs[index].cell == cell { jobs[index].isCancelled = true }
      }
      jobs.removeAll { $0.isCancelled && !$0.plan.answersAfterCancel }
    default: break
    }
  }

  /// The time of the next answer; `nil` if there is none.
  public var deadline: Instant? {
    jobs.lazy.filter { if case .isForgotten = $0.plan.end { false } else { true } }.map(\.due).min()
  }

  /// Returns the answers due by now, earliest first; `value` returns a cell's current value.
  public mutating func answers(until now: Instant, value: (DeferredCell) -> Cell) -> [Answer] {
    let due = jobs.enumerated().filter { $1.due <= now }.sorted {
      ($0.element.due, $0.offset) < ($1.element.due, $1.offset)
    }
    jobs.removeAll { $0.due <= now }
    return due.compactMap { _, job in
      switch job.plan.end {
      case .isForgotten: return nil
      case .loads:
        inFlight.remove(job.cell)
        return .loaded(job.cell, value(job.cell))
      case .fails(let reason): return .failed(job.cell, reason, isAwaited: inFlight.remove(job.cell) != nil)
      }
    }
  }
}
