import ListEngine

/// Checks of deliveries to clients.
extension Simulation {
  /// Checks that a delivery matches the table at that moment.
  func judge(_ delivery: Delivery, _ client: SimulatedClient) throws {
    guard delivery.request == client.request else { return }
    let query = client.query
    let lines = plain.lines(query, collapsed: client.collapsed)
    let result = delivery.patch.result
    let mayLackAggregates = delivery.patch.base == nil && limits.stepRows < 1 << 16
    let totals = plain.totals(query)
    guard result.totals.agree(with: totals) || (mayLackAggregates && result.totals == totals.map { _ in .null }) else {
      throw failure("a patch for \(query) totals \(result.totals), not \(totals)")
    }
    guard result.total == lines.count else {
      throw failure("a patch for \(query) says \(result.total) items, not \(lines.count)")
    }
    let range = result.start..<result.start + result.items.count
    guard range.upperBound <= lines.count else {
      throw failure("a window ends at \(range.upperBound) of \(lines.count)")
    }
    try judgeEnds(result, query)
    for (item, line) in zip(result.items, lines[range]) {
      switch (item, line) {
      case (.row(let row), .row(let cells)) where row.cells == cells: try judgeMissing(row)
      case (.header(let header), .header) where header.shows(line, mayLackAggregates: mayLackAggregates): continue
      case (.row(let row), _): throw failure("a patch for \(query) says \(row.cells), not \(line)")
      default: throw failure("a patch for \(query) says \(item), not \(line)")
      }
    }
  }

  /// Checks the scroll anchor: an edge of the list, or a visible row that must stay at its place on
  /// the screen.
  mutating func judgeShift(_ delivery: Delivery, _ client: SimulatedClient) throws {
    // A corrupted client, or one with another query, has no valid anchor.
    guard client.isCurrent, !client.awaitsWindow, delivery.base == client.replica.sequence else { return }
    let lines = plain.lines(client.query, collapsed: client.collapsed)
    let first = client.viewport.first
    let expected: Int
    switch client.viewport.stick {
    case .top: expected = 0
    case .end: expected = max(0, lines.count - client.viewport.count)
    case nil:
      let judge = AnchorJudge(client, lines, plain, delivery)
      // For a window that it no longer knows, the engine only has the anchor that the client named.
      let isFound = client.isResuming && delivery.patch.base == nil
      if !isFound, client.query.sections.contains(where: { $0.key != .value }) {
        guard !client.isReordered, let allowed = judge.possibleShifts else { return }
        guard allowed.contains(where: { first + delivery.shift == max(0, first + $0) }) else {
          throw failure(
            "client \(client.id.rawValue) is moved from \(first) by \(delivery.shift), but its items by \(allowed)")
        }
        return
      }
      guard !client.isReordered, let shift = isFound ? judge.shift(to: client.sought) : judge.shift else { return }
      expected = max(0, first + shift)
    }
    guard first + delivery.shift == expected else {
      throw failure("client \(client.id.rawValue) is moved from \(first) by \(delivery.shift), not to \(expected)")
    }
    if delivery.shift != 0 && client.viewport.stick == nil { coverage.anchored += 1 }
  }

  /// Checks that a client shows the current rows once all deliveries have arrived.
  func judge(_ client: SimulatedClient) throws {
    // A corrupted copy that has received no patch since then has not been detected yet.
    guard client.isCurrent else { return }
    let replica = client.replica
    let lines = plain.lines(client.query, collapsed: client.collapsed)
    guard replica.total == lines.count else {
      throw failure("client \(client.id.rawValue) counts \(replica.total) items of \(lines.count)")
    }
    let rows = plain.count(client.query)
    guard replica.rows == rows else {
      throw failure("client \(client.id.rawValue) counts \(replica.rows) rows of \(rows)")
    }
    guard replica.totals.agree(with: plain.totals(client.query)) else {
      throw failure("client \(client.id.rawValue) totals \(replica.totals), not \(plain.totals(client.query))")
    }
    let end = replica.start + replica.items.count
    guard end <= lines.count else {
      throw failure("client \(client.id.rawValue) shows items up to \(end) of \(lines.count)")
    }
    let first = min(client.viewport.first, max(0, lines.count - client.viewport.count))
    let visible = first..<min(lines.count, first + client.viewport.count)
    guard visible.isEmpty || (replica.start <= visible.lowerBound && end >= visible.upperBound) else {
      throw failure("client \(client.id.rawValue) looks at \(visible) and holds \(replica.start)..<\(end)")
    }
    var slots: Set<UInt32> = []
    for (item, line) in zip(replica.items, lines[replica.start..<end]) {
      switch (item, line) {
      case (.row(_, _, let cells), .row(let true_)) where cells == true_: continue
      case (.header(let header), .header) where header.shows(line):
        guard slots.insert(header.slot).inserted else { throw failure("two headers have slot \(header.slot)") }
      default: throw failure("client \(client.id.rawValue) (\(client.query)) shows \(item), not \(line)")
      }
    }
    for header in client.replica.lead where !slots.insert(header.slot).inserted {
      throw failure("two headers have slot \(header.slot)")
    }
    try judgeLead(client, lines)
  }

  /// Checks that the lead headers are those of all sections that contain the window's first line.
  private func judgeLead(_ client: SimulatedClient, _ lines: [PlainTable.Line]) throws {
    var above: [PlainTable.Line] = []
    if !client.query.group.isEmpty, client.replica.start < lines.count, !client.replica.items.isEmpty {
      var level = lines[client.replica.start].level ?? client.query.group.count
      for line in lines[..<client.replica.start].reversed() {
        guard let outer = line.level, outer < level else { continue }
        above.insert(line, at: 0)
        level = outer
      }
    }
    let lead = client.replica.lead
    guard lead.count == above.count, zip(lead, above).allSatisfy({ $0.shows($1) }) else {
      throw failure("client \(client.id.rawValue) has lead headers \(lead), not \(above)")
    }
    var parent: UInt32?
    for header in lead {
      guard header.parent == parent else {
        throw failure("a lead header lies in \(header.parent as Any), not \(parent as Any)")
      }
      parent = header.section
    }
  }
}

extension PlainTable.Line {
  /// The nesting level of a header; `nil` for a row.
  fileprivate var level: Int? { if case .header(_, _, let level, _, _) = self { level } else { nil } }
}

extension HeaderSnapshot {
  /// Whether the header matches a line. A view that is still being built may lack aggregates.
  fileprivate func shows(_ line: PlainTable.Line, mayLackAggregates: Bool = false) -> Bool {
    guard case .header(let value, let count, let level, let aggregates, let isCollapsed) = line else { return false }
    guard self.value == value && self.count == count && self.level == level && self.isCollapsed == isCollapsed else {
      return false
    }
    return self.aggregates.agree(with: aggregates)
      || (mayLackAggregates && self.aggregates == aggregates.map { _ in .null })
  }
}

extension [Cell] {
  /// Whether all cells are equal; numbers may differ by the rounding of a sum.
  fileprivate func agree(with others: [Cell]) -> Bool {
    count == others.count
      && zip(self, others).allSatisfy {
        if case .number(let x) = $0, case .number(let y) = $1 { return abs(x - y) <= 1e-9 * Swift.max(abs(x), abs(y)) }
        return $0 == $1
      }
  }
}
