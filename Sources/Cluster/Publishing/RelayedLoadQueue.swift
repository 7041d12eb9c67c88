import DequeModule
import ListEngine

/// The loads of deferred cells at a publisher: those of its own clients and those of relays.
///
/// A cell that several nodes want is loaded once, and cancelled when the last of them has cancelled
/// it. Relays together have as many loads in flight as the source allows minus those of the
/// publisher's clients, and at least one.
///
///     queue.ask(call, reply: subject, schema: schema, at: now)   // what is refused, with reasons
///     let (loads, cancels) = queue.step(schema: schema, at: now) // for the source
///     queue.finish(cell)                                         // the subjects that wait for it
struct RelayedLoadQueue {
  private struct Wish {
    var reply: String
    var expires: Int64
  }

  /// The maximum number of cells that wait for a load.
  static let greatestWaiting = 4_096
  /// The maximum number of cells in a request.
  static let greatestRequest = 1_024

  /// The cells in flight that the publisher's own clients want.
  private var own: Set<DeferredCell> = []
  /// The cells in flight that only relays want.
  private var sent: Set<DeferredCell> = []
  /// The wishes of relays by their name, of cells that wait or are in flight.
  private var wishes: [DeferredCell: [String: Wish]] = [:]
  private var waiting: Deque<DeferredCell> = []
  /// Whether a wish was dropped, and the time at which the next one may end, since the last sweep.
  private var hasDropped = false
  private var nextEnd = Int64.max

  /// The number of cells in flight, and that wait.
  var counts: (inFlight: Int, waiting: Int) { (own.count + sent.count, waiting.count) }

  // MARK: The publisher's clients

  /// Takes a request of the publisher's own server. Returns what to send to the source instead, if
  /// anything.
  mutating func takeOwn(_ request: SourceRequest) -> SourceRequest? {
    switch request {
    case .load(let cells):
      let new = cells.filter { own.insert($0).inserted && sent.remove($0) == nil }
      return new.isEmpty ? nil : .load(new)
    case .cancel(let cells):
      let unwanted = cells.filter { cell in
        let isInFlight = own.remove(cell) != nil
        guard wishes[cell]?.isEmpty == false else {
          wishes[cell] = nil
          return true
        }
        if isInFlight { sent.insert(cell) }
        return false
      }
      return unwanted.isEmpty ? nil : .cancel(unwanted)
    default: return request
    }
  }

  // MARK: Relays

  /// Takes a request of a relay. Returns the cells that are not loaded, with the reason.
  mutating func ask(_ call: LoadCall, reply: String, schema: Schema, at now: Int64) -> LoadFailure? {
    let cancelled = Set(call.cancelled.prefix(Self.greatestRequest).compactMap { schema.deferredCell($0) })
    for cell in cancelled { drop(cell, of: call.node) }
    guard !call.wanted.isEmpty else { return nil }
    guard now < call.expires else { return LoadFailure(cells: call.wanted, reason: "the request came too late") }
    var refused: [LoadCall.Place] = []
    var reason = "the table has no such deferred column"
    for (number, place) in call.wanted.enumerated() {
      guard let cell = schema.deferredCell(place) else {
        refused.append(place)
        continue
      }
      let isNew = wishes[cell] == nil && !own.contains(cell)
      guard number < Self.greatestRequest, !isNew || waiting.count < Self.greatestWaiting else {
        refused.append(place)
        reason = "\(waiting.count) cells of this table wait for the publisher; try again later"
        continue
      }
      if isNew { waiting.append(cell) }
      wishes[cell, default: [:]][call.node] = Wish(reply: reply, expires: call.expires)
      nextEnd = min(nextEnd, call.expires)
    }
    return refused.isEmpty ? nil : LoadFailure(cells: refused, reason: reason)
  }

  private mutating func drop(_ cell: DeferredCell, of node: String) {
    guard wishes[cell]?.removeValue(forKey: node) != nil, wishes[cell]?.isEmpty == true else { return }
    // A cell that waits or is in flight is dropped by the next step.
    hasDropped = true
  }

  /// Returns what to request from the source, and what to cancel there.
  ///
  /// - Complexity: O(loads), and O(cells) after wishes have been dropped or have ended.
  mutating func step(schema: Schema, at now: Int64) -> (loads: [DeferredCell], cancels: [DeferredCell]) {
    let cancels = hasDropped || now >= nextEnd ? sweep(at: now) : []
    var loads: [DeferredCell] = []
    while sent.count < max(1, schema.prefetch.inFlight - own.count), let cell = waiting.popFirst() {
      // The publisher's own clients may have requested it, or received it.
      guard wishes[cell]?.isEmpty == false, !own.contains(cell), !sent.contains(cell) else { continue }
      sent.insert(cell)
      loads.append(cell)
    }
    return (loads, cancels)
  }

  /// Drops the cells that no relay wants any more. Returns those in flight.
  private mutating func sweep(at now: Int64) -> [DeferredCell] {
    let cancels = sent.filter { isUnwanted($0, at: now) }
    for cell in cancels {
      sent.remove(cell)
      wishes[cell] = nil
    }
    let wanted = waiting.filter { !isUnwanted($0, at: now) }
    if wanted.count < waiting.count {
      for cell in waiting where isUnwanted(cell, at: now) && !own.contains(cell) { wishes[cell] = nil }
      waiting = wanted
    }
    hasDropped = false
    nextEnd = wishes.values.lazy.flatMap(\.values).map(\.expires).filter { $0 > now }.min() ?? .max
    return Array(cancels)
  }

  private func isUnwanted(_ cell: DeferredCell, at now: Int64) -> Bool {
    wishes[cell]?.values.allSatisfy { $0.expires <= now } ?? true
  }

  /// Ends the load of a cell. Returns the subjects of the relays that want it.
  mutating func finish(_ cell: DeferredCell) -> [String] {
    own.remove(cell)
    sent.remove(cell)
    return wishes.removeValue(forKey: cell)?.values.map(\.reply).sorted() ?? []
  }

  /// Ends all loads, because the columns have changed. Returns the subjects of relays with the
  /// cells that they want.
  mutating func reset() -> [String: [DeferredCell]] {
    var ended: [String: [DeferredCell]] = [:]
    for (cell, wishes) in wishes { for wish in wishes.values { ended[wish.reply, default: []].append(cell) } }
    self = RelayedLoadQueue()
    return ended
  }
}

extension Schema {
  /// Returns the deferred cell at a place; `nil` if the column is missing or not deferred.
  func deferredCell(_ place: LoadCall.Place) -> DeferredCell? {
    guard let column = columns.firstIndex(where: { $0.name == place.column }), columns[column].isDeferred else {
      return nil
    }
    return DeferredCell(place.key, column: column)
  }

  /// Returns the place of a deferred cell; `nil` if the column is missing.
  func place(of cell: DeferredCell) -> LoadCall.Place? {
    guard columns.indices.contains(cell.column) else { return nil }
    return LoadCall.Place(key: cell.key, column: columns[cell.column].name)
  }
}
