import ListEngine

/// The end of a run.
extension Simulation {
  /// Runs until nothing is pending, and checks every client.
  mutating func settle(_ engine: inout Engine, _ table: TableID) throws {
    step += 1
    for index in pages.indices where pages[index].isHidden {
      pages[index].isHidden = false
      pages[index].tiles?.mayHurry = true
      hurryFacets(index)
      engine.handle(.visibility(pages[index].id, isHidden: false), at: clock.now)
    }
    for index in pages.indices where pages[index].pause != nil { goOn(&engine, index) }
    for index in pages.indices {
      engine.handle(.hold(pages[index].id, isHeld: false), at: clock.now)
      (pages[index].mayHold, pages[index].heldAt) = (false, nil)
    }
    // The last input after the faults: a corrupted client detects its state with the next patch.
    for index in pages.indices where !pages[index].awaitsWindow {
      pages[index].viewport.anchor = nil
      pages[index].viewport.sequence = pages[index].replica.sequence
      engine.handle(.viewport(pages[index].id, pages[index].viewport), at: clock.now)
    }
    // Views that are built four rows per turn take many turns.
    for _ in 1...50_000 {
      try advance(&engine)
      for index in pages.indices {
        if !pages[index].isWritable {
          pages[index].isWritable = true
          engine.handle(.writable(pages[index].id), at: clock.now)
        }
        apply(&engine, index)
      }
      answer(&engine, table)
      if pages.allSatisfy({ $0.coming.isEmpty }),
        let deadline = [engine.deadline, loader.deadline].compactMap(\.self).min()
      {
        clock.advance(by: max(.milliseconds(1), clock.now.duration(to: deadline)))
      } else if pages.allSatisfy({ $0.coming.isEmpty && $0.isWritable }), engine.deadline == nil {
        break
      }
    }
    guard engine.deadline == nil else { throw failure("it does not come to rest") }
    guard engine.hasRoom(for: table) else { throw failure("no room for changes, though no work is left") }
    for page in pages {
      try judge(page)
      try judgeDeferred(page)
      try judgeFacets(page)
    }
  }
}
