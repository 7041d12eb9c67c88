import ListEngine

/// What a process was asked and has not answered: so that each question has one answer, also when the process ends.
struct Questions {
  /// So many actions may wait for one process.
  static let actionLimit = 1_024

  private var cells: Set<DeferredCell> = []
  private var actions: Set<UInt64> = []

  /// Notes cells that it was asked for.
  mutating func ask(_ asked: [DeferredCell]) { cells.formUnion(asked) }

  /// Those that it still works on; they are not asked for any more.
  mutating func cancel(_ cancelled: [DeferredCell]) -> [DeferredCell] {
    let known = cancelled.filter { cells.contains($0) }
    cells.subtract(known)
    return known
  }

  /// Notes an action; false when it has too many to do.
  mutating func ask(_ action: UInt64) -> Bool {
    guard actions.count < Self.actionLimit else { return false }
    actions.insert(action)
    return true
  }

  /// Notes an answer; false when it answers what was not asked, or was answered before.
  mutating func answer(_ event: SourceEvent) -> Bool {
    switch event {
    case .loaded(let key, let column, _), .notLoaded(let key, let column, _):
      cells.remove(DeferredCell(key, column: column))
      return true  // a value that nobody has asked for is welcome
    case .acted(let number, _): return actions.remove(number) != nil
    case .schema, .changes, .state, .forget: return true
    }
  }

  /// The answers that a process has left out by ending; nothing is asked any more.
  mutating func takeUnanswered(_ reason: String) -> [SourceEvent] {
    defer { self = Questions() }
    return cells.map { .notLoaded($0.key, column: $0.column, reason: reason) }
      + actions.sorted().map { .acted($0, .failed(.unanswered, "\(reason); whether it was done is not known")) }
  }
}
