import ListEngine
import Quotes

/// A plain copy of the relevant columns, to check the engine's output.
struct Mirror {
  private(set) var prices: [Double] = []
  private(set) var bids: [Double] = []
  private(set) var symbols: [Int] = []
  private(set) var notes: [UInt64] = []
  private(set) var sizes: [Int] = []

  init(rows: Int, of quotes: Quotes) {
    for index in 0..<rows {
      let quote = quotes.row(index)
      prices.append(quote.price)
      sizes.append(quote.size)
      bids.append(quote.bid)
      symbols.append(quote.symbol)
      notes.append(quote.note)
    }
  }

  mutating func apply(_ updates: [QuoteUpdate]) {
    for update in updates {
      prices[update.id] = update.price
      sizes[update.id] = update.size
      bids[update.id] = update.bid
    }
  }

  /// Returns the sector of a row.
  func sector(_ row: Int) -> Int { symbols[row] % 20 }

  /// Returns the rows of a query in order; equal rows stay in the source's order.
  func rows(where passes: (Int) -> Bool = { _ in true }, by precedes: ((Int, Int) -> Bool)? = nil) -> [Int] {
    let rows = prices.indices.filter(passes)
    guard let precedes else { return rows }
    return rows.sorted { precedes($0, $1) || (!precedes($1, $0) && $0 < $1) }
  }

  /// Returns the items of a view of these rows, with `nil` for the header before the first row of
  /// each section.
  func items(_ rows: [Int], grouped sections: [(Int) -> Int]) -> [Int?] {
    var items: [Int?] = []
    var last: [Int]?
    for row in rows {
      let path = sections.map { $0(row) }
      let kept = zip(path, last ?? []).prefix { $0 == $1 }.count
      items += Array(repeating: nil, count: path.count - kept) + [row]
      last = path
    }
    return items
  }

  /// Returns the first error in a client's window; `nil` if it is correct.
  func complaint(_ client: BenchClient, shows items: [Int?]) -> String? {
    let shown = client.items.map(\.rowNumber)
    let wanted = Array(items.dropFirst(client.start).prefix(shown.count))
    guard shown == wanted, client.total == items.count else {
      return
        "it shows \(shown.prefix(5))... of \(client.total) where the mirror has \(wanted.prefix(5))... of \(items.count)"
    }
    return headersComplaint(client)
  }

  /// Returns the first error in the headers: row count, sum of sizes and mean of prices.
  private func headersComplaint(_ client: BenchClient) -> String? {
    for case .header(let header) in client.items {
      if case .number(let bound) = header.value, case .number(let end)? = header.end {
        let count = prices.count { $0 >= bound && $0 < end }
        guard header.count == count else { return "\(bound) shows \(header.count) rows of \(count)" }
        continue
      }
      guard case .text(let name) = header.value else { return "a section of \(header.value)" }
      let isSector = header.column == Quotes.columns.firstIndex(of: "sector")
      let number = Int(name.drop { !$0.isNumber })
      var (count, size, price) = (0, 0, 0.0)
      for row in symbols.indices where (isSector ? sector(row) : symbols[row]) == number {
        count += 1
        size += sizes[row]
        price += prices[row]
      }
      let mean = price / Double(count)
      guard header.count == count, header.aggregates.count == 2, header.aggregates[0] == .integer(Int64(size)),
        case .number(let shown) = header.aggregates[1], abs(shown - mean) <= 1e-9 * mean
      else { return "\(name) shows \(header.count) rows, \(header.aggregates); it is \(count), \(size), \(mean)" }
    }
    return nil
  }
}
