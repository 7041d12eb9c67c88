import ListEngine

/// What a process was asked and has not answered: so that each question has one answer, also when the process ends.
struct PendingRequests {
  /// So many actions may wait for one process.
  static let actionLimit = 1_024

  private var cells: Set<DeferredCell> = []
  private var actions: Set<UInt64> = []
  private var images: Set<UInt64> = []
  private var pages: Set<PageRequestID> = []

  /// Notes cells that it was asked for.
  mutating func ask(_ asked: [DeferredCell]) { cells.formUnion(asked) }

  /// Those that it still works on; they are not asked for any more.
  mutating func cancel(_ cancelled: [DeferredCell]) -> [DeferredCell] {
    let known = cancelled.filter { cells.contains($0) }
    cells.subtract(known)
    return known
  }

  /// Notes queries.
  mutating func ask(_ asked: [PageRequest]) { pages.formUnion(asked.map(\.id)) }

  /// Those that it still works on; they are not asked any more.
  mutating func cancel(_ cancelled: [PageRequestID]) -> [PageRequestID] {
    cancelled.filter { pages.remove($0) != nil }
  }

  /// Notes an image.
  mutating func ask(image: UInt64) { images.insert(image) }

  /// Those that it still works on; they are not asked for any more.
  mutating func cancel(images cancelled: [UInt64]) -> [UInt64] { cancelled.filter { images.remove($0) != nil } }

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
    case .page(let id, _), .sections(let id, _):
      pages.remove(id)
      return true  // one that was cancelled may still be of use
    case .pageFailed(let id, _): return pages.remove(id) != nil
    case .image(let number, _): return images.remove(number) != nil
    case .acted(let number, _): return actions.remove(number) != nil
    case .schema, .columnsAdded, .changes, .state, .forget, .sourceChanged: return true
    }
  }

  /// The answers that a process has left out by ending; nothing is asked any more.
  mutating func takeUnanswered(_ reason: String) -> [SourceEvent] {
    defer { self = PendingRequests() }
    return cells.map { .notLoaded($0.key, column: $0.column, reason: reason) }
      + pages.sorted { $0.rawValue < $1.rawValue }.map { .pageFailed($0, reason: reason) }
      + images.sorted().map { .image($0, .sourceDown) }
      + actions.sorted().map { .acted($0, .failed(.unanswered, "\(reason); whether it was done is not known")) }
  }
}
