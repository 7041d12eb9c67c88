extension Table {
  /// Checks the invariants after a change: always in a small table, seldom in a large one.
  func checkInvariantsWhenDue() {
    #if CHECK_INVARIANTS
      if checkPace.isDue(rows: Int(slots)) { checkInvariants() }
    #endif
  }

  /// Checks that every row is found by its key, and that all counts are correct.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var alive = 0
      for slot in 0..<slots where isAlive(slot) { alive += 1 }
      precondition(alive == count, "\(alive) rows, counted as \(count)")
      precondition(keys.count == count, "\(keys.count) keys for \(count) rows")
      keys.checkInvariants()
      for column in columns { column.pool?.checkInvariants() }
      arrivals?.checkInvariants(isAlive: isAlive, rows: count)
      checkNeighbours()
      var (weight, named) = (0, 0)
      for slot in 0..<slots where isAlive(slot) {
        weight += self.weight(of: slot)
        if let reload, !reload.isFirst(slot) { named += self.weight(of: slot) }
      }
      precondition(weight == bytes, "the rows weigh \(weight) bytes, counted as \(bytes)")
      precondition(named == reload?.bytes ?? 0, "the named rows weigh \(named) bytes, counted as \(reload?.bytes ?? 0)")
      precondition(reload != nil || count <= rowLimit && bytes <= byteLimit, "\(count) rows, \(bytes) bytes: too many")
    #endif
  }
}
