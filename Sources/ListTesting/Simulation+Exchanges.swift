import ListEngine

/// Hot swaps: a table is replaced by one with other columns, and clients open it.
extension Simulation {
  mutating func exchange(_ engine: inout Engine, _ table: TableID) throws {
    for page in pages { for case .row(let id, _, _) in page.replica.items { formerRows.insert(id) } }
    for delivery in pages.flatMap(\.coming) {
      for case .row(let row) in delivery.patch.result.items { formerRows.insert(row.id) }
    }
    schema.title += "!"
    for column in 2...3 {
      schema.columns[column].collation = exchanges.pick([.codeUnit, .natural, .locale("invented")])
    }
    try engine.replaceTable(table, with: schema, at: clock.now)
    coverage.exchanges += 1
    let wall = plain.wall
    plain = PlainTable(schema, limits: limits)
    plain.follow(clock.now)
    plain.wall = wall
    loader = ScriptedLoader(bound: schema.prefetch.inFlight)
    for index in pages.indices { leave(&engine, index) }
    for output in engine.advance(to: clock.now) where !isForStranger(output) {
      switch output {
      case .tables(let tables):
        guard tables[0].generation == coverage.exchanges else {
          throw failure("the table is listed under another name")
        }
      case .refuse(let id, let refusal): try judge(refusal, of: id)
      case .deliver, .waiting, .tiles, .facets, .status, .load: throw failure("\(output) after the table has gone")
      case .cancel, .ask, .cancelPages: continue
      }
    }
    for index in pages.indices { reopen(&engine, index) }
  }

  /// Sends inputs of a client that still shows the replaced table. The engine must ignore them.
  private mutating func leave(_ engine: inout Engine, _ index: Int) {
    let page = pages[index]
    let inputs: [Input] = [
      .acknowledge(page.id, sequence: page.replica.sequence + 1), .resync(page.id, sequence: page.replica.sequence),
      .viewport(page.id, page.viewport), .collapse(page.id, .number(1), isCollapsed: true),
      .pause(page.id, isPaused: true), .hold(page.id, isHeld: true), .pace(page.id, .zero),
      .query(page.id, request: page.request, query: QueryRequest(sort: [("gone", false)]), viewport: nil),
    ]
    for input in inputs where exchanges.oneIn(2) { engine.handle(input, at: clock.now) }
    if exchanges.oneIn(3), !pages[index].isWritable {
      pages[index].isWritable = true
      engine.handle(.writable(page.id), at: clock.now)
    }
    guard exchanges.oneIn(3) else { return }
    pages[index].isHidden.toggle()
    engine.handle(.visibility(page.id, isHidden: pages[index].isHidden), at: clock.now)
  }

  /// Opens the new table on the same connection, or on another one if it was lost meanwhile.
  private mutating func reopen(_ engine: inout Engine, _ index: Int) {
    let old = pages[index]
    coverage.reopened += 1
    let isLost = exchanges.oneIn(4)
    if isLost { engine.handle(.close(old.id), at: clock.now) }
    var page = Page(id: isLost ? newPageID() : old.id, viewport: old.viewport)
    (page.query, page.collapsed, page.request) = (old.query, old.collapsed, old.request + 1)
    (page.viewport.sequence, page.viewport.anchor) = (0, nil)
    page.awaitsWindow = true
    if !isLost { (page.isWritable, page.isHidden) = (old.isWritable, old.isHidden) }
    let point = isLost ? ResumePoint(session: old.id, sequence: old.replica.sequence) : nil
    engine.handle(
      .open(
        page.id, table: "numbers", request: page.request, query: request(page), viewport: page.viewport, interval: nil,
        resume: point), at: clock.now)
    pages[index] = page
  }

  /// Checks that no row has an id of a replaced table's row.
  func judgeRows(_ delivery: Delivery) throws {
    guard !formerRows.isEmpty else { return }
    for case .row(let row) in delivery.patch.result.items where formerRows.contains(row.id) {
      throw failure("row \(row.id.rawValue) was one of another table")
    }
  }
}
