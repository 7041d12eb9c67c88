import ListEngine

/// Clients that hold the order: positions are frozen, and values keep changing.
extension Simulation {
  mutating func hold(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    let client = clients[index]
    let isHeld = random.oneIn(4) ? false : true
    engine.handle(.hold(client.id, isHeld: isHeld), at: clock.now)
    // A resuming client without an answer may be about to receive a window.
    let isApplied =
      isHeld && client.isCurrent && client.coming.isEmpty && !client.awaitsWindow && !client.isResuming
      && !client.isHidden
      && client.pause == nil && !client.awaitsItems
    // Only a delivery shows whether an earlier hold continues.
    if isHeld { if isApplied { clients[index].heldAt = clock.now } } else { clients[index].heldAt = nil }
    clients[index].mayHold = isHeld
  }

  /// Checks that a held delivery has the same items in the same places, with current values.
  mutating func judgeHeld(_ delivery: Delivery, _ held: Held, _ client: SimulatedClient) throws {
    guard client.mayHold else { throw failure("client \(client.id.rawValue) is held, but does not ask for it") }
    guard let base = delivery.patch.base, delivery.shift == 0 else { throw failure("a hold moves the reader") }
    let result = delivery.patch.result
    guard base.start == result.start, base.total == result.total, base.items.count == result.items.count else {
      throw failure(
        "a hold leads from \(base.start)..., \(base.items.count) items to \(result.start)..., \(result.items.count)")
    }
    guard result.rows == plain.count(client.query) else {
      throw failure("a page that holds counts \(result.rows) rows of \(plain.count(client.query))")
    }
    let shown = plain.shownRows(client.query)
    for (index, (old, new)) in zip(base.items, result.items).enumerated() {
      guard case .row(let new) = new else { continue }
      guard case .row(let old) = old, old.id == new.id, case .integer(let key) = old.cells[Self.keyColumn] else {
        throw failure("item \(index) is another one during a hold")
      }
      let isGone = held.gone.contains(index)
      // A row that was deleted and inserted again is a new row with the same key.
      if shown[.integer(key)] == nil, !isGone { throw failure("row \(key) has gone, but is not marked") }
      guard !isGone, isExact else { continue }
      guard new.cells == shown[.integer(key)] else {
        throw failure("row \(key) does not show what is true during a hold")
      }
    }
    coverage.holds += 1
  }
}
