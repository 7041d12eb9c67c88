import ListEngine

/// Checks of deliveries to clients of a windowed table.
extension WindowedSimulation {
  /// Checks that a delivery contains no row twice and keeps the scroll anchor.
  mutating func judge(_ delivery: Delivery, _ client: SimulatedClient) throws {
    var ids: Set<RowID> = []
    for case .row(let row) in delivery.patch.result.items {
      guard ids.insert(row.id).inserted else { throw failure("row \(row.id.rawValue) is named twice in a window") }
      if row.absence == nil, row.cells.count != source.schema.columns.count { throw failure("a row has \(row.cells)") }
    }
    if delivery.patch.result.held != nil { return try judgeHeld(delivery, client) }
    // For rows that are reloaded, the engine does not know which of several equal ones the source
    // has moved.
    guard !remains(client.query) else { return }
    guard delivery.request == client.request, client.isCurrent, !client.awaitsWindow,
      delivery.base == client.replica.sequence
    else { return }
    let first = client.viewport.first
    switch client.viewport.stick {
    case .top:
      guard first + delivery.shift == 0 else { throw failure("client \(client.id.rawValue) leaves the top") }
    case .end:
      let end = max(0, delivery.patch.result.total - client.viewport.count)
      guard first + delivery.shift == end else {
        throw failure("client \(client.id.rawValue) is at \(first + delivery.shift) and not at the end, \(end)")
      }
    case nil:
      guard let shift = anchored(client, delivery) else { return }
      guard delivery.shift == max(0, first + shift) - first else {
        throw failure("client \(client.id.rawValue) is moved by \(delivery.shift), and what it reads by \(shift)")
      }
      coverage.anchored += 1
      if shift != 0 { coverage.shifts += 1 }
    }
  }

  /// Returns the distance that the client's scroll anchor has moved: the named row, or the first
  /// visible row that kept its place. Returns `nil` if the delivery does not show it.
  private func anchored(_ client: SimulatedClient, _ delivery: Delivery) -> Int? {
    let result = delivery.patch.result
    var places: [RowID: (position: Int, cells: [Cell])] = [:]
    for (index, item) in result.items.enumerated() {
      if case .row(let row) = item { places[row.id] = (result.start + index, row.cells) }
    }
    // A row that changed in place while the order was held has not kept its place.
    let items = (client.placed ?? client.replica).items
    let named = items.firstIndex { if case .row(let id, _, _) = $0 { id == client.viewport.anchor } else { false } }
    let visible = client.viewport.first..<client.viewport.first + client.viewport.count
    let deciding = client.query.sort.map(\.column)
    for index in (named.map { [$0] } ?? []) + items.indices.filter({ visible.contains(client.replica.start + $0) }) {
      guard case .row(let id, _, let cells) = items[index] else { return nil }
      guard !cells.isEmpty else { continue }
      guard let now = places[id], !now.cells.isEmpty else { return nil }
      if deciding.allSatisfy({ now.cells[$0] == cells[$0] }),
        client.query.path(of: now.cells) == client.query.path(of: cells)
      {
        return now.position - client.replica.start - index
      }
    }
    return nil
  }

  // MARK: Residual queries

  /// Whether the engine has to do a part of the query.
  func remains(_ query: Query) -> Bool { reduced(query) != query }

  /// Returns the part of a query that the source can do. Parts that need all rows in one place are
  /// all or nothing.
  private func reduced(_ query: Query) -> Query {
    let capabilities = source.capabilities
    var parts: [Filter<Int>] = query.filter.map { if case .all(let parts) = $0 { parts } else { [$0] } } ?? []
    let all = parts.count
    parts.removeAll { !can($0) }
    let canSearch = query.search.isEmpty || capabilities.searches
    let canAll =
      parts.count == all && canSearch && query.sort.allSatisfy { capabilities.sort.contains($0.column) }
      && query.groupings.allSatisfy { capabilities.group.contains($0.column) && $0.ranges == nil }
      && query.aggregates.isEmpty && query.sections.isEmpty
    if canAll { return query }
    let filter: Filter<Int>? = parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .all(parts)
    return Query(search: canSearch ? query.search : "", filter: filter)
  }

  private func can(_ filter: Filter<Int>) -> Bool {
    let capabilities = source.capabilities
    func can(_ power: WindowedCapabilities.FilterOperator, _ column: Int) -> Bool {
      capabilities.filters.contains(power) && capabilities.filterColumns?.contains(column) ?? true
    }
    switch filter {
    case .all(let parts): return parts.allSatisfy(self.can)
    case .any(let parts): return capabilities.filters.contains(.any) && parts.allSatisfy(self.can)
    case .not(let part): return capabilities.filters.contains(.not) && self.can(part)
    case .compare(let column, .equal, _): return can(.equal, column)
    case .compare(let column, .notEqual, _): return can(.notEqual, column)
    case .compare(let column, _, _): return can(.order, column)
    case .range(let column, _, _): return can(.range, column)
    case .contains(let column, _): return can(.contains, column)
    case .startsWith(let column, _): return can(.startsWith, column)
    case .matches(let column, _, _): return can(.matches, column)
    case .oneOf(let column, _): return can(.oneOf, column)
    case .age: return false
    case .isEmpty(let column): return can(.isEmpty, column)
    }
  }

  // MARK: Final checks

  /// Checks that a client shows the current rows once nothing is pending.
  mutating func judge(_ client: SimulatedClient) throws {
    let isResidual = remains(client.query)
    let plain = source.plain
    if isResidual && plain.count(reduced(client.query)) > limits.remainderRows {
      throw failure("\(client.query) leaves \(plain.count(reduced(client.query))) rows, and is not refused")
    }
    guard client.isCurrent else { throw failure("client \(client.id.rawValue) never got what it asked for") }
    let replica = client.replica
    let lines = plain.lines(client.query, collapsed: client.collapsed)
    if let (_, why) = replica.absences.first {
      throw failure("client \(client.id.rawValue) still shows a placeholder: \(why)")
    }
    let isGrid = isResidual || source.capabilities.paging == .offset
    // The source's own counts of sections may be estimates.
    let isCounted = isResidual || source.capabilities.count == .exact
    let isWhole = isGrid && (isCounted || (replica.accuracy == .exact && client.query.group.isEmpty))
    if isWhole && replica.total != lines.count {
      throw failure("client \(client.id.rawValue) counts \(replica.total) items of \(lines.count)")
    }
    let rows = plain.count(client.query)
    if isCounted && replica.accuracy == .exact && (isGrid || client.query.group.isEmpty) && replica.rows != rows {
      throw failure("client \(client.id.rawValue) counts \(replica.rows) rows of \(rows)")
    }
    try judgeLines(client, lines, isExact: isWhole)
    // All visible items must be loaded.
    let first = min(client.viewport.first, max(0, replica.total - client.viewport.count))
    let visible = first..<min(replica.total, first + client.viewport.count)
    guard
      visible.isEmpty
        || (replica.start <= visible.lowerBound && replica.start + replica.items.count >= visible.upperBound)
    else { throw failure("client \(client.id.rawValue) looks at \(visible) and holds from \(replica.start)") }
    if isResidual {
      coverage.residuals += 1
    } else if client.query.group.isEmpty {
      coverage.windows += 1
    } else {
      coverage.grouped += 1
    }
  }

  /// Checks that the client's items are contiguous in the reference, and at the right positions if
  /// these are known.
  private func judgeLines(_ client: SimulatedClient, _ lines: [PlainTable.Line], isExact: Bool) throws {
    let items = client.replica.items
    guard let head = items.first else {
      // An empty window although the table has rows.
      if !lines.isEmpty && client.replica.total == 0 {
        throw failure("client \(client.id.rawValue) shows none of \(lines.count) items")
      }
      return
    }
    // Subsections of different sections may have equal values.
    let starts = isExact ? [client.replica.start] : lines.indices.filter { shows(head, lines[$0], isExact: false) }
    var mismatch = (item: head, index: 0, line: "nothing")
    for start in starts {
      guard
        let wrong = items.indices.first(where: {
          start + $0 >= lines.count || !shows(items[$0], lines[start + $0], isExact: isExact)
        })
      else { return }
      guard wrong >= mismatch.index else { continue }
      mismatch = (items[wrong], wrong, start + wrong < lines.count ? "\(lines[start + wrong])" : "nothing")
    }
    throw failure(
      "client \(client.id.rawValue) (\(client.query)) shows \(mismatch.item) at \(client.replica.start + mismatch.index), not "
        + mismatch.line)
  }

  private func shows(_ item: Replica.Item, _ line: PlainTable.Line, isExact: Bool) -> Bool {
    switch (item, line) {
    case (.row(_, _, let cells), .row(let wanted)): cells == wanted
    case (.header(let header), .header(let value, let count, let level, _, let isCollapsed)):
      header.value == value && header.level == level && header.isCollapsed == isCollapsed
        && (!isExact || header.count == count)
    default: false
    }
  }
}
