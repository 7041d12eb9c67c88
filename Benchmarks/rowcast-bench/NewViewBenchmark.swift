import ListEngine
import Quotes
import Wire

/// W3: a client opens a new view while another client shows a live one.
///
/// It measures five times: until the first 60 rows are encoded, until the whole order is built, the
/// longest turn meanwhile (the delay of the other client), scrolls to random positions afterwards,
/// and the longest turn that frees the view.
struct NewViewBenchmark {
  let rows: Int
  let only: String
  let rounds: Int

  private static let window = 60

  /// The queries with their names in the peers' scripts, and the expected items.
  private var queries: [(name: String, query: QueryRequest, items: (Mirror) -> [Int?])] {
    let price: [(column: String, descending: Bool)] = [("price", true)]
    func filtered(_ passes: @escaping (Int, Mirror) -> Bool) -> (Mirror) -> [Int?] {
      { mirror in mirror.rows(where: { passes($0, mirror) }, by: { mirror.prices[$0] > mirror.prices[$1] }) }
    }
    // The only letters of a note after "note" are hexadecimal digits.
    let dead = filtered { row, mirror in
      (0...12).contains { mirror.notes[row] >> UInt64(4 * $0) & 0xFFFF == 0xDEAD }
    }
    var nested = ViewMode.expanded.query
    nested.group = ["sector", "symbol"]
    var ranges = QueryRequest()
    ranges.groupings = [GroupingRequest("price", ranges: .width(.integer(100)))]
    return [
      (
        "sort_float(bid asc)", QueryRequest(sort: [("bid", false)]),
        { mirror in mirror.rows(by: { mirror.bids[$0] < mirror.bids[$1] }) }
      ),
      (
        "sort_str10k(symbol asc)", QueryRequest(sort: [("symbol", false)]),
        { mirror in mirror.rows(by: { mirror.symbols[$0] < mirror.symbols[$1] }) }
      ),
      (
        "sort_str1M(note asc)", QueryRequest(sort: [("note", false)]),
        { mirror in mirror.rows(by: { mirror.notes[$0] < mirror.notes[$1] }) }
      ),
      (
        "filter symbol contains 77 + price desc", QueryRequest(sort: price, filter: .contains("symbol", "77")),
        filtered { row, mirror in "\(100_000 + mirror.symbols[row])".dropFirst().contains("77") }
      ),
      ("filter note contains dead + price desc", QueryRequest(sort: price, filter: .contains("note", "dead")), dead),
      ("filter sector== + price desc", ViewMode.filter.query, ViewMode.filter.items),
      ("group sector", ViewMode.group.query, ViewMode.group.items),
      (
        "group sector,symbol", nested,
        { mirror in
          let rows = mirror.rows(by: {
            (mirror.sector($0), mirror.symbols[$0]) < (mirror.sector($1), mirror.symbols[$1])
          })
          return mirror.items(rows, grouped: [mirror.sector, { mirror.symbols[$0] }])
        }
      ),
      (
        "ranges price 100", ranges,
        { mirror in
          let range = { Int(mirror.prices[$0]) / 100 }
          return mirror.items(mirror.rows(by: { range($0) < range($1) }), grouped: [range])
        }
      ),
      ("search dead + price desc", QueryRequest(sort: price, search: "dead"), dead),
    ]
  }

  func run() throws {
    let quotes = Quotes()
    var engine = Engine(epoch: "bench")
    var now = Instant(nanoseconds: 1)
    let table = try engine.addTable(QuotesTable.schema, at: now)
    for start in stride(from: 0, to: rows, by: 10_000) {
      engine.handle(.changes(table, QuotesTable.rows(start..<min(start + 10_000, rows), of: quotes)), at: now)
    }
    var mirror = Mirror(rows: rows, of: quotes)
    var others = BenchClient(SessionID(rawValue: 0))
    others.open(QueryRequest(sort: [("price", true)]), &engine, at: now)
    while !others.isSettled(&engine, at: now) {}
    var counter = 0
    for (name, query, shown) in queries where only.isEmpty || name.contains(only) {
      var first = Figures()
      var whole = Figures()
      var turns = Figures()
      var drops = Figures()
      var items = 0
      for round in 0..<rounds {
        var client = BenchClient(SessionID(rawValue: UInt64(round + 1)))
        // Lets the previous round's view expire, because an unused view would be reused.
        now = now.advanced(by: .seconds(60))
        repeat { drops.measure { _ = engine.advance(to: now) } } while engine.deadline.map({ $0 <= now }) ?? false
        client.open(query, &engine, at: now)
        let deliveries = client.deliveries
        whole.measure {
          first.measure {
            while client.deliveries == deliveries {
              turns.measure { turn(&client, &engine, table, &counter, quotes, &mirror, at: &now) }
            }
          }
          while engine.deadline.map({ $0 <= now }) ?? false {
            turns.measure { turn(&client, &engine, table, &counter, quotes, &mirror, at: &now) }
          }
        }
        items = client.total
        if let complaint = mirror.complaint(client, shows: shown(mirror)) {
          preconditionFailure("\(name): \(complaint)")
        }
        if round == rounds - 1 { try scrolls(name, &client, &engine, at: now) }
        engine.handle(.close(client.session), at: now)
      }
      try emit([
        "engine": "rowcast", "w": "W3", "N": rows, "op": name, "first_window_ms": first.milliseconds,
        "whole_order_ms": whole.milliseconds, "turn_ms": turns.milliseconds,
        "drop_turn_ms": drops.milliseconds, "items": items,
        "verify": true,
      ])
    }
  }

  /// Runs one turn: applies ten updates and sends the deliveries that are due.
  private func turn(
    _ client: inout BenchClient, _ engine: inout Engine, _ table: TableID, _ counter: inout Int, _ quotes: Quotes,
    _ mirror: inout Mirror, at now: inout Instant
  ) {
    now = now.advanced(by: .milliseconds(1))
    let (changes, updates) = QuotesTable.updates(counter..<counter + 10, of: quotes, rows: rows)
    mirror.apply(updates)
    counter += 10
    engine.handle(.changes(table, changes), at: now)
    client.take(engine.advance(to: now), &engine, at: now)
  }

  private func scrolls(_ name: String, _ client: inout BenchClient, _ engine: inout Engine, at now: Instant) throws {
    guard client.total > Self.window else { return }
    var jumps = Figures()
    for number in 0..<20 {
      let first = number * 49_999 % (client.total - Self.window)
      jumps.measure {
        engine.handle(
          .viewport(
            client.session,
            Viewport(first: first, count: Self.window, ahead: 0, behind: 0, stick: nil, sequence: client.sequence)),
          at: now)
        client.take(engine.advance(to: now), &engine, at: now)
      }
      precondition(client.start == first, "a jump to \(first) shows \(client.start)")
    }
    try emit(["engine": "rowcast", "w": "W3", "N": rows, "op": "scroll jump in " + name, "stats": jumps.milliseconds])
  }
}
