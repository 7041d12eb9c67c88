import ListEngine

/// The part of a source that loads deferred cells: slowly, wrongly, not at all, and after it was told to stop, as it is told.
///
///     var loader = ScriptedLoader(bound: 8)
///     loader.take(output, at: now) { cell in .init(after: .seconds(1), .fails("no such file")) }
///     loader.answers(until: now) { cell in .text("the value now") }     // what to hand to the engine
///
/// It keeps book of what the engine believes to be in flight, and of everything the engine does wrong.
public struct ScriptedLoader: Sendable {
  /// How a load ends.
  public enum End: Sendable {
    /// With the value that is true then.
    case loads
    /// With this reason.
    case fails(String)
    /// Never.
    case isForgotten
  }

  /// What becomes of one load.
  public struct Plan: Sendable {
    var delay: Duration
    var end: End
    var answersAfterCancel: Bool

    /// It ends so after this time; when it is cancelled before, it does not end at all unless it `answersAfterCancel`.
    public init(after delay: Duration, _ end: End = .loads, answersAfterCancel: Bool = false) {
      self.delay = delay
      self.end = end
      self.answersAfterCancel = answersAfterCancel
    }
  }

  /// An answer on its way to the engine.
  public enum Answer: Sendable {
    /// The cell's value.
    case loaded(DeferredCell, Cell)
    /// Why there is none. `isAwaited`: whether the engine believes the cell to be in flight, and so takes it for true.
    case failed(DeferredCell, String, isAwaited: Bool)

    /// The answer as the engine takes it.
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
  /// What the engine has asked for, and neither cancelled nor been answered.
  public private(set) var inFlight: Set<DeferredCell> = []
  /// Everything that was asked for, in order.
  public private(set) var loads: [DeferredCell] = []
  /// Everything that was cancelled, in order.
  public private(set) var cancels: [DeferredCell] = []
  /// What the engine did that it must not: asked twice at once, for more than the bound, or cancelled what was not in flight.
  public private(set) var mistakes: [String] = []

  /// A source that is to be asked for this much at once at most.
  public init(bound: Int) { self.bound = bound }

  /// Takes what the engine wants of it; other outputs are ignored.
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

  /// When it has something to say next; `nil` when it has not.
  public var deadline: Instant? {
    jobs.lazy.filter { if case .isForgotten = $0.plan.end { false } else { true } }.map(\.due).min()
  }

  /// What it has to say by now, the earliest first; `value` is what is true now.
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
