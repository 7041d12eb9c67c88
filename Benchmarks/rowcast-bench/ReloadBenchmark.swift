import ListEngine
import Quotes

/// D1: reloads of the whole list, unchanged, and with 10 % removed, 10 % inserted and 2 % shuffled.
struct ReloadBenchmark {
  let rows: Int
  let runs: Int

  func run() throws {
    let quotes = Quotes()
    var same = Figures()
    var changed = Figures()
    var linear = (same: Figures(), changed: Figures())
    let plain = (old: (0..<rows).map(quotes.row), new: order().map(quotes.row))
    for _ in 0..<runs {
      let none = linear.same.measure { LinearDifference(from: plain.old, to: plain.old) { $0.id } }
      let some = linear.changed.measure { LinearDifference(from: plain.old, to: plain.new) { $0.id } }
      precondition(none.moved.isEmpty && none.updated.isEmpty && none.deleted.isEmpty, "there is no difference")
      precondition(some.inserted.count == some.deleted.count, "as many come as go")
      var engine = Engine(epoch: "bench")
      let now = Instant(nanoseconds: 1)
      let table = try engine.addTable(QuotesTable.schema, at: now)
      var first = QuotesTable.rows(0..<rows, of: quotes)
      first.beginsReload = true
      first.endsReload = true
      engine.handle(.changes(table, first), at: now)
      same.measure { engine.handle(.changes(table, first), at: now) }
      let order = self.order()
      var second = QuotesTable.rows(order, of: quotes)
      second.beginsReload = true
      second.endsReload = true
      changed.measure { engine.handle(.changes(table, second), at: now) }
      precondition(engine.tables(at: now)[0].rows == order.count, "the table has another number of rows than the list")
      // The client must show the list in its order.
      var client = BenchClient(SessionID(rawValue: 1))
      client.open(QueryRequest(), &engine, at: now)
      while !client.isSettled(&engine, at: now) {}
      let wanted = order.prefix(60).map { quotes.row($0).price }
      precondition(client.numbers(3) == wanted, "the table is in another order than the list")
    }
    try emit([
      "engine": "rowcast", "w": "D1", "N": rows, "unchanged_ms": same.milliseconds, "changed_ms": changed.milliseconds,
      "linear_unchanged_ms": linear.same.milliseconds, "linear_changed_ms": linear.changed.milliseconds, "verify": true,
    ])
  }

  /// Returns the changed list: every tenth row is removed, new rows are inserted, and 2 % are
  /// shuffled.
  private func order() -> [Int] {
    var order: [Int] = []
    for index in 0..<rows {
      if index % 10 == 3 { order.append(rows + index) } else { order.append(index) }
    }
    for swap in 0..<rows / 100 {
      let a = Int(Quotes.h(21, UInt64(swap)) % UInt64(rows))
      let b = Int(Quotes.h(22, UInt64(swap)) % UInt64(rows))
      order.swapAt(a, b)
    }
    return order
  }
}
