import ListEngine
import Quotes
import Wire

/// W3: somebody asks for a view that nobody has yet, while another page looks at a live one.
///
/// What is timed: from asking to the first 60 rows encoded; until the whole order is there; the longest turn of the loop meanwhile,
/// which is what the other page feels; and scrolls anywhere afterwards.
struct NewViewBenchmark {
  let rows: Int

  private static let rounds = 3
  private static let window = 60

  private var queries: [(String, QueryRequest)] {
    [
      ("sort_float(bid asc)", QueryRequest(sort: [("bid", false)])),
      ("sort_str10k(symbol asc)", QueryRequest(sort: [("symbol", false)])),
      ("sort_str1M(note asc)", QueryRequest(sort: [("note", false)])),
      ("search dead + price desc", QueryRequest(sort: [("price", true)], search: "dead")),
      ("search Sector-03 + price desc", QueryRequest(sort: [("price", true)], search: "Sector-03")),
      ("group sector", QueryRequest(group: ["sector"])),
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
    var others = BenchPage(SessionID(rawValue: 0))
    others.open(QueryRequest(sort: [("price", true)]), &engine, at: now)
    while !others.isSettled(&engine, at: now) {}
    var counter = 0
    for (name, query) in queries {
      var first = Figures()
      var whole = Figures()
      var turns = Figures()
      var items = 0
      for round in 0..<Self.rounds {
        var page = BenchPage(SessionID(rawValue: UInt64(round + 1)))
        // Each round's view is new: the ones before it rest, and would be used again.
        now = now.advanced(by: .seconds(60))
        _ = engine.advance(to: now)
        page.open(query, &engine, at: now)
        let deliveries = page.deliveries
        whole.measure {
          first.measure {
            while page.deliveries == deliveries {
              turns.measure { turn(&page, &engine, table, &counter, quotes, at: &now) }
            }
          }
          while engine.deadline.map({ $0 <= now }) ?? false {
            turns.measure { turn(&page, &engine, table, &counter, quotes, at: &now) }
          }
        }
        items = page.total
        if round == Self.rounds - 1 { try scrolls(name, &page, &engine, at: now) }
        engine.handle(.close(page.session), at: now)
      }
      try emit([
        "engine": "rowcast", "w": "W3", "N": rows, "op": name, "first_window_ms": first.milliseconds,
        "whole_order_ms": whole.milliseconds, "turn_ms": turns.milliseconds, "items": items,
      ])
    }
  }

  /// One turn of a loop: ten updates come, and everyone gets what is due.
  private func turn(
    _ page: inout BenchPage, _ engine: inout Engine, _ table: TableID, _ counter: inout Int, _ quotes: Quotes,
    at now: inout Instant
  ) {
    now = now.advanced(by: .milliseconds(1))
    let (changes, _) = QuotesTable.updates(counter..<counter + 10, of: quotes, rows: rows)
    counter += 10
    engine.handle(.changes(table, changes), at: now)
    page.take(engine.advance(to: now), &engine, at: now)
  }

  private func scrolls(_ name: String, _ page: inout BenchPage, _ engine: inout Engine, at now: Instant) throws {
    var jumps = Figures()
    for number in 0..<20 where page.total > Self.window {
      let first = number * 49_999 % (page.total - Self.window)
      jumps.measure {
        engine.handle(
          .viewport(
            page.session,
            Viewport(first: first, count: Self.window, ahead: 0, behind: 0, stick: nil, sequence: page.sequence)),
          at: now)
        page.take(engine.advance(to: now), &engine, at: now)
      }
      precondition(page.start == first, "a jump to \(first) shows \(page.start)")
    }
    try emit(["engine": "rowcast", "w": "W3", "N": rows, "op": "scroll jump in " + name, "stats": jumps.milliseconds])
  }
}
