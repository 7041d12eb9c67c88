import ListEngine

/// Hot swaps: a table is replaced by one with other columns, and clients open it.
extension Simulation {
  mutating func exchange(_ engine: inout Engine, _ table: TableID) throws {
    for client in clients { for case .row(let id, _, _) in client.replica.items { previousRows.insert(id) } }
    for delivery in clients.flatMap(\.coming) {
      for case .row(let row) in delivery.patch.result.items { previousRows.insert(row.id) }
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
    for index in clients.indices { leave(&engine, index) }
    for output in engine.advance(to: clock.now) where !isForUncheckedClient(output) {
      switch output {
      case .tables(let tables):
        guard sharesRowIDs || tables[0].generation == coverage.exchanges else {
          throw failure("the table is listed under another name")
        }
      case .refuse(let id, let refusal): try judge(refusal, of: id)
      case .deliver, .waiting, .tiles, .facets, .pins, .status, .load:
        throw failure("\(output) after the table has gone")
      case .cancel, .ask, .cancelBlocks: continue
      }
    }
    for index in clients.indices { reopen(&engine, index) }
  }

  /// Sends inputs of a client that still shows the replaced table. The engine must ignore them.
  private mutating func leave(_ engine: inout Engine, _ index: Int) {
    let client = clients[index]
    let inputs: [Input] = [
      .acknowledge(client.id, sequence: client.replica.sequence + 1),
      .resync(client.id, sequence: client.replica.sequence),
      .viewport(client.id, client.viewport), .collapse(client.id, .number(1), isCollapsed: true),
      .pause(client.id, isPaused: true), .hold(client.id, isHeld: true), .pace(client.id, .zero),
      .query(client.id, request: client.request, query: QueryRequest(sort: [("gone", false)]), viewport: nil),
    ]
    for input in inputs where exchanges.oneIn(2) { engine.handle(input, at: clock.now) }
    if exchanges.oneIn(3), !clients[index].isWritable {
      clients[index].isWritable = true
      engine.handle(.writable(client.id), at: clock.now)
    }
    guard exchanges.oneIn(3) else { return }
    clients[index].isHidden.toggle()
    engine.handle(.visibility(client.id, isHidden: clients[index].isHidden), at: clock.now)
  }

  /// Opens the new table on the same connection, or on another one if it was lost meanwhile.
  private mutating func reopen(_ engine: inout Engine, _ index: Int) {
    let old = clients[index]
    coverage.reopened += 1
    let isLost = exchanges.oneIn(4)
    if isLost { engine.handle(.close(old.id), at: clock.now) }
    var client = SimulatedClient(id: isLost ? newClientID() : old.id, viewport: old.viewport)
    (client.query, client.collapsed, client.request) = (old.query, old.collapsed, old.request + 1)
    (client.viewport.sequence, client.viewport.anchor) = (0, nil)
    client.awaitsWindow = true
    if !isLost { (client.isWritable, client.isHidden) = (old.isWritable, old.isHidden) }
    let point = isLost ? ResumePoint(session: old.id, sequence: old.replica.sequence) : nil
    engine.handle(
      .open(
        client.id, table: "numbers", request: client.request, query: request(client), viewport: client.viewport,
        interval: nil,
        resume: point), at: clock.now)
    clients[index] = client
  }

  /// Checks that no row has an id of a replaced table's row, unless ids follow from keys.
  func judgeRows(_ delivery: Delivery) throws {
    guard !previousRows.isEmpty, !sharesRowIDs else { return }
    for case .row(let row) in delivery.patch.result.items where previousRows.contains(row.id) {
      throw failure("row \(row.id.rawValue) was one of another table")
    }
  }
}
