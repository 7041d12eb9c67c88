import ListEngine

/// The pending requests to a process.
///
/// Each request gets exactly one answer, even if the process ends.
package struct PendingRequests {
  /// The maximum number of pending actions per process.
  static let actionLimit = 1_024

  private var cells: Set<DeferredCell> = []
  private var actions: Set<UInt64> = []
  private var images: Set<UInt64> = []
  private var blocks: Set<BlockRequestID> = []

  package init() {}

  /// Adds requests for deferred cells.
  package mutating func ask(_ requested: [DeferredCell]) { cells.formUnion(requested) }

  /// Removes requests for deferred cells and returns those that were pending.
  package mutating func cancel(_ cancelled: [DeferredCell]) -> [DeferredCell] {
    let known = cancelled.filter { cells.contains($0) }
    cells.subtract(known)
    return known
  }

  /// Adds queries.
  package mutating func ask(_ requested: [BlockRequest]) { blocks.formUnion(requested.map(\.id)) }

  /// Removes queries and returns those that were pending.
  package mutating func cancel(_ cancelled: [BlockRequestID]) -> [BlockRequestID] {
    cancelled.filter { blocks.remove($0) != nil }
  }

  /// Adds an image request.
  package mutating func ask(image: UInt64) { images.insert(image) }

  /// Removes image requests and returns those that were pending.
  package mutating func cancel(images cancelled: [UInt64]) -> [UInt64] { cancelled.filter { images.remove($0) != nil } }

  /// Adds an action; returns false when too many are pending.
  package mutating func ask(_ action: UInt64) -> Bool {
    guard actions.count < Self.actionLimit else { return false }
    actions.insert(action)
    return true
  }

  /// Removes the request that an event answers; returns false when the event must be dropped.
  package mutating func answer(_ event: SourceEvent) -> Bool {
    switch event {
    case .loaded(let key, let column, _), .notLoaded(let key, let column, _):
      cells.remove(DeferredCell(key, column: column))
      return true  // unrequested values are accepted
    case .page(let id, _), .sections(let id, _):
      blocks.remove(id)
      return true  // the answer to a cancelled query may still be useful
    case .pageFailed(let id, _): return blocks.remove(id) != nil
    case .image(let number, _): return images.remove(number) != nil
    case .acted(let number, _): return actions.remove(number) != nil
    case .schema, .columnsAdded, .changes, .state, .forget, .sourceChanged, .upload: return true
    }
  }

  /// Removes all pending requests and returns a failure for each.
  package mutating func takeUnanswered(_ reason: String) -> [SourceEvent] {
    defer { self = PendingRequests() }
    return cells.map { .notLoaded($0.key, column: $0.column, reason: reason) }
      + blocks.sorted { $0.rawValue < $1.rawValue }.map { .pageFailed($0, reason: reason) }
      + images.sorted().map { .image($0, .sourceDown) }
      + actions.sorted().map {
        .acted($0, .failed(.unanswered, "\(reason); it is not known whether the action has run"))
      }
  }
}
