extension ListView {
  #if CHECK_INVARIANTS
    /// Checks the order and counts of a section, and returns its number of rows.
    private func check(_ section: Section) -> Int {
      var rows = 0
      var items = section.level < 0 ? 0 : 1
      if hasSections(section) {
        section.sections.checkInvariants(of: section)
        var inner = section.sections.first
        while let some = inner {
          precondition(self.section(numbered: some.number) === some, "section \(some.number) is not known")
          rows += check(some)
          inner = SectionList.next(after: some)
        }
        items += section.sections.items
      } else {
        section.order.checkInvariants(pool: pool, comparator: comparator)
        rows = section.order.count
        var slots: [UInt32] = []
        section.order.forEach(from: 0, count: rows) { slots.append($0) }
        aggregation?.checkInvariants(of: section, rows: slots)
        items += rows
      }
      precondition(section.rows == rows, "section \(section.number) counts \(section.rows) rows of \(rows)")
      precondition(section.items == items, "section \(section.number) counts \(section.items) items of \(items)")
      precondition(section.level < 0 || rows > 0, "section \(section.number) is empty")
      return rows
    }
  #endif

  /// Checks the invariants after a change: always in a small table, seldom in a large one.
  func checkInvariantsWhenDue() {
    #if CHECK_INVARIANTS
      if checkPace.isDue(rows: Int(table.slots)) { checkInvariants() }
    #endif
  }

  /// Checks that sections are in order and that each matching row is in its section exactly once.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      let shown = check(root)
      precondition(root.sum == root.items, "all items sum \(root.sum), not \(root.items)")
      var wanted = 0
      for slot in 0..<table.slots where table.isAlive(slot) {
        let isShown = isShown(slot)
        if filter.isRelative {
          let (time, noted) = (filter.crossing, crossings.time(of: slot))
          precondition(noted == time, "slot \(slot) crosses at \(time), not at \(noted)")
        }
        guard isShown else { continue }
        wanted += 1
        precondition(contains(slot), "slot \(slot) is not shown")
      }
      precondition(shown == wanted, "\(shown) rows are shown, \(wanted) should be")
    #endif
  }
}
