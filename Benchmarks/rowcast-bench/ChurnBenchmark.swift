import ListEngine
import Quotes

/// W5: every batch inserts 50 rows, updates 100 and removes the 50 oldest. The view is sorted by
/// price, with the window at the top.
struct ChurnBenchmark {
  let rows: Int
  let batches: Int

  func run() throws {
    let quotes = Quotes()
    var engine = Engine(epoch: "bench")
    var now = Instant(nanoseconds: 1)
    let table = try engine.addTable(QuotesTable.schema, at: now)
    var prices: [Int: Double] = [:]
    for start in stride(from: 0, to: rows, by: 10_000) {
      let range = start..<min(start + 10_000, rows)
      engine.handle(.changes(table, QuotesTable.rows(range, of: quotes)), at: now)
      for index in range { prices[index] = quotes.row(index).price }
    }
    var client = BenchClient(SessionID(rawValue: 1))
    client.open(QueryRequest(sort: [("price", true)]), &engine, at: now)
    while !client.isSettled(&engine, at: now) {}
    var times = Figures(reserving: batches)
    var resident: [Int: Int] = [:]
    for batch in 0..<batches {
      let inserts = QuotesTable.rows(rows + 50 * batch..<rows + 50 * (batch + 1), of: quotes)
      let (updates, list) = QuotesTable.updates(
        batch * 100..<(batch + 1) * 100, of: quotes, rows: rows, from: 50 * (batch + 1))
      var removals = Changeset()
      for key in 50 * batch..<50 * (batch + 1) { removals.delete(.integer(Int64(key))) }
      for index in rows + 50 * batch..<rows + 50 * (batch + 1) { prices[index] = quotes.row(index).price }
      for update in list { prices[update.id] = update.price }
      for key in 50 * batch..<50 * (batch + 1) { prices[key] = nil }
      now = now.advanced(by: .milliseconds(1))
      times.measure {
        engine.handle(.changes(table, inserts), at: now)
        engine.handle(.changes(table, updates), at: now)
        engine.handle(.changes(table, removals), at: now)
        client.take(engine.advance(to: now), &engine, at: now)
      }
      if [1000, 3000, 10_000, 30_000, batches].contains(batch + 1) { resident[batch + 1] = try residentBytes() }
    }
    let isRight = client.numbers(3) == Array(prices.values.sorted(by: >).prefix(60))
    try emit([
      "engine": "rowcast", "w": "W5", "N": rows, "batches": batches, "batch_ms": times.milliseconds,
      "row_ops_per_s": Int(Double(batches * 200) / times.total), "size": engine.tables(at: now)[0].rows,
      "rss": resident.sorted { $0.key < $1.key }.map { ["after_batches": $0.key, "bytes": $0.value] },
      "verify": isRight,
    ])
    precondition(isRight, "the window shows other rows than the mirror")
  }
}
