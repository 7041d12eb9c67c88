import ListEngine

/// Clients that hold the order: positions are frozen, and values keep changing.
extension WindowedSimulation {
  mutating func hold(_ engine: inout Engine) {
    guard !clients.isEmpty, handling.oneIn(8) else { return }
    let index = handling.number(0...clients.count - 1)
    let isHeld = !handling.oneIn(4)
    clients[index].mayHold = isHeld
    engine.handle(.hold(clients[index].id, isHeld: isHeld), at: clock.now)
  }

  /// Checks that a held delivery has the same items in the same places.
  mutating func judgeHeld(_ delivery: Delivery, _ client: SimulatedClient) throws {
    guard client.mayHold else { throw failure("client \(client.id.rawValue) is held, but does not ask for it") }
    guard let base = delivery.patch.base, delivery.shift == 0 else { throw failure("a hold moves the reader") }
    let result = delivery.patch.result
    guard base.start == result.start, base.total == result.total, base.items.count == result.items.count else {
      throw failure(
        "a hold leads from \(base.start)..., \(base.items.count) items to \(result.start)..., \(result.items.count)")
    }
    for (index, (old, new)) in zip(base.items, result.items).enumerated() {
      let isSame =
        switch (old, new) {
        case (.row(let old), .row(let new)): old.id == new.id
        case (.header(let old), .header(let new)): old.section == new.section
        default: false
        }
      guard isSame else { throw failure("item \(index) is another one during a hold") }
    }
    coverage.holds += 1
  }
}
