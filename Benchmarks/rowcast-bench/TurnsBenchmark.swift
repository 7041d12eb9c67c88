import Foundation
import ListEngine
import Quotes
import Wire

/// The length of a turn with fifty different views of a table with 100,000 updates per second.
///
/// A turn is like the server's. It takes at most 4,096 rows if the table has room, then creates and
/// encodes all due deliveries. Clients acknowledge before the next turn. The source makes 20
/// batches per second, and blocks while 20,000 rows are waiting. At the end, all clients' rows are
/// compared with a brute-force sort.
struct TurnsBenchmark {
  let rows: Int
  let rate: Int
  let seconds: Double

  private static let batches = 20
  private static let partRows = 4_096
  private static let mostWaiting = 20_000
  private static let window = 60

  func run() throws {
    let quotes = Quotes()
    var engine = Engine(epoch: "bench")
    let clock = ContinuousClock()
    let start = clock.now
    func moment() -> Instant { Instant(nanoseconds: 1 + (clock.now - start).nanoseconds) }
    let table = try engine.addTable(QuotesTable.schema, at: moment())
    for first in stride(from: 0, to: rows, by: 10_000) {
      engine.handle(.changes(table, QuotesTable.rows(first..<min(first + 10_000, rows), of: quotes)), at: moment())
    }
    var mirror = (0..<rows).map { quotes.row($0) }
    let views = TurnsView.all
    var clients: [SessionID: BenchClient] = [:]
    for (number, view) in views.enumerated() {
      let client = BenchClient(SessionID(rawValue: UInt64(number)), interval: .milliseconds(300))
      client.open(view.request, &engine, at: moment())
      clients[client.session] = client
    }
    var building = Figures()
    while engine.deadline.map({ $0 <= moment() }) ?? false {
      building.measure { take(engine.advance(to: moment()), &clients, &engine, at: moment()) }
    }
    var counter = 0
    var applied = 0
    var waiting: [(Changeset, Int)] = []
    var (waitingRows, mostWaited, waits) = (0, 0, 0)
    var turns = Figures()
    var busy = Figures()
    let began = clock.now
    var made = 0
    while (clock.now - began) / .seconds(1) < seconds {
      // The source has its own thread in a server, so it is not timed.
      let due = Int((clock.now - began) / .seconds(1) * Double(Self.batches))
      while made < due && waitingRows < Self.mostWaiting {
        let size = rate / Self.batches
        for first in stride(from: counter, to: counter + size, by: Self.partRows) {
          let part = first..<min(first + Self.partRows, counter + size)
          let (changes, updates) = QuotesTable.updates(part, of: quotes, rows: rows)
          for update in updates { mirror[update.id].take(update) }
          waiting.append((changes, part.count))
          waitingRows += part.count
        }
        counter += size
        made += 1
      }
      if made < due { waits += 1 }
      made = max(made, due - 1)
      mostWaited = max(mostWaited, waitingRows)
      guard !waiting.isEmpty || engine.deadline.map({ $0 <= moment() }) ?? false else {
        usleep(200)
        continue
      }
      let before = threadSeconds()
      turns.measure {
        let now = moment()
        if !waiting.isEmpty, engine.hasRoom(for: table) {
          let (changes, count) = waiting.removeFirst()
          engine.handle(.changes(table, changes), at: now)
          waitingRows -= count
          applied += count
        }
        take(engine.advance(to: now), &clients, &engine, at: now)
      }
      busy.add(threadSeconds() - before)
    }
    let took = (clock.now - began) / .seconds(1)
    for (changes, _) in waiting { engine.handle(.changes(table, changes), at: moment()) }
    var end = moment()
    for _ in 0..<10_000 {
      take(engine.advance(to: end), &clients, &engine, at: end)
      guard let deadline = engine.deadline else { break }
      end = max(end, deadline)
    }
    let wrong = views.enumerated().filter { number, view in
      clients[SessionID(rawValue: UInt64(number))]!.ids != view.rows(mirror, count: Self.window)
    }
    try emit([
      "engine": "rowcast", "w": "turns", "N": rows, "views": views.count, "rate": rate,
      "updates_per_s": Int(Double(applied) / took), "turn_ms": turns.milliseconds, "turn_cpu_ms": busy.milliseconds,
      "building_turn_ms": building.milliseconds, "most_waiting": mostWaited, "source_waits": waits,
      "verify": wrong.isEmpty,
    ])
    precondition(wrong.isEmpty, "other rows than the mirror has: \(wrong.map(\.element.request))")
  }

  private func take(
    _ outputs: [Output], _ clients: inout [SessionID: BenchClient], _ engine: inout Engine, at now: Instant
  ) {
    for case .deliver(let id, let delivery) in outputs {
      clients[id]?.show(delivery, epoch: engine.epoch)
      engine.handle(.writable(id), at: now)
      engine.handle(.acknowledge(id, sequence: delivery.sequence), at: now)
    }
  }
}

/// A view and its expected rows.
private struct TurnsView {
  var request: QueryRequest
  let isShown: (Quote) -> Bool
  /// The sort order of the rows; ties stay in the table's order.
  let precedes: (Quote, Quote) -> Bool
  /// Whether headers are among the first items.
  let isGrouped: Bool

  init(
    _ request: QueryRequest, where isShown: @escaping (Quote) -> Bool = { _ in true }, isGrouped: Bool = false,
    by precedes: @escaping (Quote, Quote) -> Bool
  ) {
    self.request = request
    self.isShown = isShown
    self.precedes = precedes
    self.isGrouped = isGrouped
  }

  /// Returns the ids of the expected rows among the first items.
  func rows(_ mirror: [Quote], count: Int) -> [Int] {
    let shown = mirror.filter(isShown).sorted { a, b in precedes(a, b) || (!precedes(b, a) && a.id < b.id) }
    guard isGrouped else { return shown.prefix(count).map(\.id) }
    var ids: [Int] = []
    var (items, last) = (0, -1)
    for quote in shown {
      if quote.symbol % 20 != last { items += 1 }
      last = quote.symbol % 20
      guard items < count else { break }
      ids.append(quote.id)
      items += 1
    }
    return ids
  }

  /// Fifty views: orders of all rows, filters by value, range and text, and groups.
  static var all: [TurnsView] {
    var views = [
      TurnsView(QueryRequest(sort: [("price", true)])) { $0.price > $1.price },
      TurnsView(QueryRequest(sort: [("price", false)])) { $0.price < $1.price },
      TurnsView(QueryRequest(sort: [("size", true)])) { $0.size > $1.size },
      TurnsView(QueryRequest(sort: [("bid", false)])) { $0.bid < $1.bid },
      TurnsView(QueryRequest(sort: [("ts", true)])) { $0.milliseconds > $1.milliseconds },
      TurnsView(QueryRequest(sort: [("symbol", false)])) { $0.symbol < $1.symbol },
      TurnsView(QueryRequest(sort: [("sector", true), ("size", false)])) {
        ($0.symbol % 20, $1.size) > ($1.symbol % 20, $0.size)
      },
      TurnsView(QueryRequest()) { _, _ in false },
      TurnsView(QueryRequest(group: ["sector"]), isGrouped: true) { $0.symbol % 20 < $1.symbol % 20 },
      TurnsView(QueryRequest(sort: [("ask", true)], group: ["sector"]), isGrouped: true) {
        ($0.symbol % 20, $1.ask) < ($1.symbol % 20, $0.ask)
      },
    ]
    for sector in 0..<20 {
      let name = "Sector-" + (sector < 10 ? "0" : "") + "\(sector)"
      views.append(
        TurnsView(
          QueryRequest(sort: [("price", true)], filter: .compare("sector", .equal, .text(name))),
          where: { $0.symbol % 20 == sector }
        ) { $0.price > $1.price })
    }
    for tenth in 0..<10 {
      let (from, through) = (tenth * 1000, tenth * 1000 + 200)
      views.append(
        TurnsView(
          QueryRequest(
            sort: [("ask", false)],
            filter: .range("size", from: .integer(Int64(from)), through: .integer(Int64(through)))),
          where: { $0.size >= from && $0.size <= through }
        ) { $0.ask < $1.ask })
      views.append(
        TurnsView(
          QueryRequest(sort: [("ts", true)], filter: .contains("symbol", ExactText("YM0\(tenth)7"))),
          where: { $0.symbol / 100 == tenth * 10 + 7 }
        ) { $0.milliseconds > $1.milliseconds })
    }
    return views
  }
}

extension Quote {
  fileprivate mutating func take(_ update: QuoteUpdate) {
    (price, size, bid, ask, milliseconds) = (update.price, update.size, update.bid, update.ask, update.milliseconds)
  }
}
