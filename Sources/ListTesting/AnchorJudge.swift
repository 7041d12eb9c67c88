import ListEngine

/// Finds by brute force what a page holds on to: the row it named, or else the first item in sight that kept its place.
///
/// A row did when it was not moved by its source, and nothing has changed that it is sorted or grouped by; a header, when its section is
/// the same as it was. Of what was folded away the header takes the place: where it was, or the top when it was above that.
struct AnchorJudge {
  /// By how much it has moved, 0 when there is none; `nil` when it cannot be told.
  private(set) var shift: Int?

  private let page: Simulation.Page
  private let delivery: Delivery
  /// The positions of rows by their keys, and of headers by their values.
  private var rows: [Cell: Int] = [:]
  private var headers: [[Cell]: Int] = [:]
  /// All rows of the view by their keys, those of collapsed sections too.
  private var all: [Cell: [Cell]] = [:]

  private enum Answer {
    case moved(Int)
    case lost
    case unknown
  }

  init(_ page: Simulation.Page, _ lines: [PlainTable.Line], _ plain: PlainTable, _ delivery: Delivery) {
    self.page = page
    self.delivery = delivery
    for case .row(let cells) in plain.lines(page.query) { all[cells[Simulation.keyColumn]] = cells }
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

  private func find() -> Int? {
    let items = page.replica.items
    let named = items.firstIndex {
      if case .row(let id, _, _) = $0 { id == page.viewport.anchor } else { false }
    }
    let sight = page.viewport.first..<page.viewport.first + page.viewport.count
    let candidates = (named.map { [$0] } ?? []) + items.indices.filter { sight.contains(page.replica.start + $0) }
    for index in candidates {
      switch answer(index) {
      case .moved(let shift): return shift
      case .unknown: return nil
      case .lost: continue
      }
    }
    return 0
  }

  /// By how much a page goes that comes back and looks for a row, wherever that is now; `nil` when it cannot be told.
  func shift(to sought: Simulation.Sought) -> Int? {
    guard case .row(let key, let offset) = sought else {
      if case .nothing = sought { return 0 } else { return nil }
    }
    // A row that went and came back meanwhile is another one.
    guard case .integer(let number) = key, !page.moved.contains(number) else { return nil }
    guard let now = all[key] else { return 0 }
    let place = rows[key] ?? outermostCollapsed(page.query.group.map { now[$0] }).map { $0.place }
    return place.map { max(0, $0 - offset) - page.viewport.first }
  }

  private func answer(_ index: Int) -> Answer {
    let position = page.replica.start + index
    switch (page.placed ?? page.replica).items[index] {
    case .row(_, _, let old):
      let deciding = page.query.sort.map(\.column) + page.query.group
      guard case .integer(let key) = old[Simulation.keyColumn], !page.moved.contains(key),
        let now = all[.integer(key)], deciding.allSatisfy({ old[$0] == now[$0] })
      else { return .lost }
      if let now = rows[.integer(key)] { return .moved(now - position) }
      return folded(page.query.group.map { now[$0] })
    case .header(let header):
      guard let path = page.replica.path(of: header), let now = headers[path] else { return .unknown }
      // A section that went and came back meanwhile is another one. Only what is sent tells.
      let result = delivery.patch.result
      guard result.items.indices.contains(now - result.start) else { return .unknown }
      guard case .header(let sent) = result.items[now - result.start], sent.section == header.section else {
        return .lost
      }
      return .moved(now - position)
    }
  }

  /// A row of this section is folded away.
  private func folded(_ path: [Cell]) -> Answer {
    guard let (outer, now) = outermostCollapsed(path) else { return .unknown }
    let index = page.replica.items.firstIndex {
      guard case .header(let header) = $0 else { return false }
      return page.replica.path(of: header) == outer
    }
    let first = page.viewport.first
    return .moved(now - max(first, index.map { page.replica.start + $0 } ?? first))
  }

  /// The header that takes the place of all that lies in these sections, and where it is.
  private func outermostCollapsed(_ path: [Cell]) -> (path: [Cell], place: Int)? {
    guard let outer = path.indices.first(where: { page.collapsed.contains(Array(path[...$0])) }) else { return nil }
    let header = Array(path[...outer])
    return headers[header].map { (header, $0) }
  }
}
