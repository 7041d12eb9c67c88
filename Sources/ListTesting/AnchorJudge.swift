import ListEngine

/// Computes a client's expected scroll anchor by brute force: the row that the client named, or the
/// first visible item that kept its place.
///
/// A row keeps its place if the source has not moved it, and no column of the sort order or
/// grouping has changed. A header keeps its place if its section is the same. For rows of a
/// collapsed section, the section's header is the anchor. It counts from its old position, or from
/// the top of the viewport if it was above.
struct AnchorJudge {
  /// The distance that the anchor has moved, or 0 without an anchor; `nil` if unknown.
  private(set) var shift: Int?

  private let client: Simulation.SimulatedClient
  private let delivery: Delivery
  /// The positions of rows by key, and of headers by section values.
  private var rows: [Cell: Int] = [:]
  private var headers: [[Cell]: Int] = [:]
  /// All rows of the view by key, including those of collapsed sections.
  private var all: [Cell: [Cell]] = [:]

  private enum Answer {
    case moved(Int)
    case lost
    case unknown
  }

  init(_ client: Simulation.SimulatedClient, _ lines: [PlainTable.Line], _ plain: PlainTable, _ delivery: Delivery) {
    self.client = client
    self.delivery = delivery
    for case .row(let cells) in plain.lines(client.query) { all[cells[Simulation.keyColumn]] = cells }
    var path: [Cell] = []
    for (position, line) in lines.enumerated() {
      switch line {
      case .row(let cells): rows[cells[Simulation.keyColumn]] = position
      case .header(let value, _, let level, _, _):
        path = path.prefix(level) + [value]
        headers[path] = position
      }
    }
    shift = find()
  }

  /// The indices of the items that can be the anchor, in order of preference.
  private var candidates: [Int] {
    let items = client.replica.items
    let named = items.firstIndex {
      if case .row(let id, _, _) = $0 { id == client.viewport.anchor } else { false }
    }
    let visible = client.viewport.first..<client.viewport.first + client.viewport.count
    return (named.map { [$0] } ?? []) + items.indices.filter { visible.contains(client.replica.start + $0) }
  }

  /// The distances that visible items have moved, or `nil` if one is unknown.
  ///
  /// Where sections are ordered by what their headers show, which of them moved depends on states
  /// in between, so that each of these is right. Without a row, the position may stay.
  var possibleShifts: [Int]? {
    var shifts: [Int] = []
    var hasRow = false
    for index in candidates {
      switch answer(index) {
      case .unknown: return nil
      case .lost: continue
      case .moved(let shift):
        shifts.append(shift)
        if case .row = (client.placed ?? client.replica).items[index] { hasRow = true }
      }
    }
    return hasRow ? shifts : shifts + [0]
  }

  private func find() -> Int? {
    for index in candidates {
      switch answer(index) {
      case .moved(let shift): return shift
      case .unknown: return nil
      case .lost: continue
      }
    }
    return 0
  }

  /// Returns the distance that a resuming client must scroll to see a row, or `nil` if unknown.
  func shift(to sought: Simulation.Sought) -> Int? {
    guard case .row(let key, let offset) = sought else {
      if case .nothing = sought { return 0 } else { return nil }
    }
    // A row that was deleted and inserted again is a new row.
    guard case .integer(let number) = key, !client.moved.contains(number) else { return nil }
    guard let now = all[key] else { return 0 }
    let place = rows[key] ?? outermostCollapsed(client.query.path(of: now)).map { $0.place }
    return place.map { max(0, $0 - offset) - client.viewport.first }
  }

  private func answer(_ index: Int) -> Answer {
    let position = client.replica.start + index
    switch (client.placed ?? client.replica).items[index] {
    case .row(_, _, let old):
      let deciding = client.query.sort.map(\.column)
      guard case .integer(let key) = old[Simulation.keyColumn], !client.moved.contains(key),
        let now = all[.integer(key)], deciding.allSatisfy({ old[$0] == now[$0] }),
        client.query.path(of: old) == client.query.path(of: now)
      else { return .lost }
      if let now = rows[.integer(key)] { return .moved(now - position) }
      return folded(client.query.path(of: now))
    case .header(let header):
      guard let path = client.replica.path(of: header), let now = headers[path] else { return .unknown }
      // A section that was removed and created again is a new one, which only the delivery shows.
      let result = delivery.patch.result
      guard result.items.indices.contains(now - result.start) else { return .unknown }
      guard case .header(let sent) = result.items[now - result.start], sent.section == header.section else {
        return .lost
      }
      return .moved(now - position)
    }
  }

  /// Returns the anchor of a row whose section has been collapsed.
  private func folded(_ path: [Cell]) -> Answer {
    guard let (outer, now) = outermostCollapsed(path) else { return .unknown }
    let index = client.replica.items.firstIndex {
      guard case .header(let header) = $0 else { return false }
      return client.replica.path(of: header) == outer
    }
    let first = client.viewport.first
    return .moved(now - max(first, index.map { client.replica.start + $0 } ?? first))
  }

  /// Returns the outermost collapsed header of a section path and its position.
  private func outermostCollapsed(_ path: [Cell]) -> (path: [Cell], place: Int)? {
    guard let outer = path.indices.first(where: { client.collapsed.contains(Array(path[...$0])) }) else { return nil }
    let header = Array(path[...outer])
    return headers[header].map { (header, $0) }
  }
}
