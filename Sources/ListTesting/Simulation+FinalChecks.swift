import ListEngine

/// The end of a run.
extension Simulation {
  /// Runs until nothing is pending, and checks every client.
  mutating func settle(_ engine: inout Engine, _ table: TableID) throws {
    step += 1
    for index in clients.indices where clients[index].isHidden {
      clients[index].isHidden = false
      clients[index].tiles?.mayReportEarly = true
      allowEarlyFacets(index)
      engine.handle(.visibility(clients[index].id, isHidden: false), at: clock.now)
    }
    for index in clients.indices where clients[index].pause != nil { goOn(&engine, index) }
    for index in clients.indices {
      engine.handle(.hold(clients[index].id, isHeld: false), at: clock.now)
      (clients[index].mayHold, clients[index].heldAt) = (false, nil)
    }
    // The last input after the faults: a corrupted client detects its state with the next patch.
    for index in clients.indices where !clients[index].awaitsWindow {
      clients[index].viewport.anchor = nil
      clients[index].viewport.sequence = clients[index].replica.sequence
      engine.handle(.viewport(clients[index].id, clients[index].viewport), at: clock.now)
    }
    // Views that are built four rows per turn take many turns.
    for _ in 1...50_000 {
      try advance(&engine)
      for index in clients.indices {
        if !clients[index].isWritable {
          clients[index].isWritable = true
          engine.handle(.writable(clients[index].id), at: clock.now)
        }
        apply(&engine, index)
      }
      answer(&engine, table)
      if clients.allSatisfy({ $0.coming.isEmpty }),
        let deadline = [engine.deadline, loader.deadline].compactMap(\.self).min()
      {
        clock.advance(by: max(.milliseconds(1), clock.now.duration(to: deadline)))
      } else if clients.allSatisfy({ $0.coming.isEmpty && $0.isWritable }), engine.deadline == nil {
        break
      }
    }
    guard engine.deadline == nil else { throw failure("it does not come to rest") }
    guard engine.hasRoom(for: table) else { throw failure("no room for changes, though no work is left") }
    for client in clients {
      try judge(client)
      try judgeDeferred(client)
      try judgeFacets(client)
      try judgePins(client)
    }
  }
}
