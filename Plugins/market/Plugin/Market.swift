import ListPlugin
import Quotes

/// A synthetic market with many quotes and frequent changes, for demonstrations and benchmarks.
///
/// Settings: `rows`, `rate` (changes per second; 0: none), `batches` (per second), `seed` and
/// `change`: whether users see how far each price is from its first, and the greatest change first.
/// Without it the table is the workload that benchmarks share.
struct Market: DataSource {
  static let title = "A made-up market with as many quotes and changes as you like"

  let schema: Schema

  private static let table = Schema(
    "quotes", title: "Quotes", key: .integer,
    columns: [
      Column("id", .integer, title: "Id", width: 9, format: .plain),
      Column("symbol", .text, title: "Symbol", width: 10),
      Column("sector", .text, title: "Sector", style: .badge, width: 11),
      Column("price", .number, title: "Price", style: .bar, width: 12, format: .grouped(decimals: 2), better: .higher),
      Column("size", .integer, title: "Size", width: 8),
      Column("bid", .number, title: "Bid", width: 12, format: .grouped(decimals: 2), better: .higher),
      Column("ask", .number, title: "Ask", width: 12, format: .grouped(decimals: 2), better: .higher),
      Column("ts", .timestamp, title: "Time", width: 20, format: .dateTime(decimals: 3)),
      Column("side", .text, title: "Side", style: .badge, width: 6),
      Column("note", .text, title: "Note", width: 26),
    ], label: "symbol")

  private static let change = Column(
    "change", .number, title: "Change", width: 12, format: .grouped(decimals: 2), better: .higher,
    description: "The difference from the first price.")
  private static let movers = TableView(
    description: "Made-up prices that change all the time", icon: "↗", sort: [.descending("change")],
    order: ["id", "symbol", "sector", "price", "change"],
    tiles: [
      Tile("Rising", where: .atLeast(0.01, in: "change")), Tile("Falling", where: .atMost(-0.01, in: "change")),
      Tile("Average price", Aggregate(.mean, of: "price")),
    ])

  private let showsChange: Bool
  private let rows: Int
  private let rate: Double
  private let batches: Double
  private let quotes: Quotes

  init(_ configuration: Configuration) throws {
    rows = try configuration.integer("rows", default: 1_000_000, in: 0...100_000_000)
    rate = try configuration.number("rate", default: 10_000, in: 0...10_000_000)
    batches = try configuration.number("batches", default: 20, in: 0.01...1_000)
    showsChange = try configuration.boolean("change", default: true)
    var schema = Self.table
    if showsChange {
      schema.columns.append(Self.change)
      schema.view = Self.movers
    }
    self.schema = schema
    quotes = Quotes(seed: UInt64(try configuration.integer("seed", default: 0, in: 0...0xFF_FFFF)))
  }

  func run(_ host: ListHost) throws {
    try load(host)
    if rows > 0, rate > 0 { try change(host) }
  }

  private func load(_ host: ListHost) throws {
    let size = 10_000
    var batch = Batch(.upsert, columns: schema.columns.count, reserving: min(size, rows))
    var next = 0
    repeat {
      let end = min(next + size, rows)
      batch.removeAll()
      for index in next..<end { append(quotes.row(index), to: &batch) }
      var reload: Reload = []
      if next == 0 { reload.insert(.begin) }
      if end == rows { reload.insert(.end) }
      try host.push(batch, reload: reload)
      next = end
    } while next < rows
  }

  private func change(_ host: ListHost) throws {
    let clock = SuspendingClock()
    let start = clock.now
    // Changes missed in a pause of more than a second are dropped, but two ticks are always
    // allowed.
    var pace = Pace(rate: rate, burst: max(Int(rate * max(1, 2 / batches)), 1), at: .zero)
    let size = 10_000
    var batch = Batch(.update, columns: schema.columns.count, reserving: min(size, Int(rate / batches) + 1))
    var tick = 0.0
    var counter = 0
    while true {
      // Ticks are counted from the start, so that the time of a push does not reduce the rate.
      tick = max(tick + 1, ((clock.now - start) / .seconds(1) * batches).rounded(.down))
      try host.wait(.seconds(tick / batches) - (clock.now - start))
      var due = pace.take(at: clock.now - start)
      while due > 0 {
        batch.removeAll()
        let count = min(due, size)
        for _ in 0..<count {
          append(quotes.update(counter, of: rows), to: &batch)
          counter += 1
        }
        try host.push(batch)
        due -= count
      }
    }
  }

  private func append(_ quote: Quote, to batch: inout Batch) {
    batch.beginRow(key: Int64(quote.id))
    batch.append(integer: Int64(quote.id))
    batch.append(textOfAtMost: Quote.symbolLength) { quote.writeSymbol(into: $0) }
    batch.append(textOfAtMost: Quote.sectorLength) { quote.writeSector(into: $0) }
    batch.append(number: quote.price)
    batch.append(integer: Int64(quote.size))
    batch.append(number: quote.bid)
    batch.append(number: quote.ask)
    batch.append(timestamp: quote.milliseconds * 1_000_000)
    batch.append(constant: quote.isSell ? "SELL" : "BUY")
    batch.append(textOfAtMost: Quote.noteLength) { quote.writeNote(into: $0) }
    if showsChange { batch.append(number: 0) }
  }

  private func append(_ change: QuoteUpdate, to batch: inout Batch) {
    batch.beginRow(key: Int64(change.id))
    batch.appendUnchanged()
    batch.appendUnchanged()
    batch.appendUnchanged()
    batch.append(number: change.price)
    batch.append(integer: Int64(change.size))
    batch.append(number: change.bid)
    batch.append(number: change.ask)
    batch.append(timestamp: change.milliseconds * 1_000_000)
    batch.appendUnchanged()
    batch.appendUnchanged()
    if showsChange { batch.append(number: change.price - quotes.row(change.id).price) }
  }
}

/// The entry function that the host looks up.
@c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Market.self) }
