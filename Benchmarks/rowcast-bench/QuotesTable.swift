import ListEngine
import Quotes

/// The engine's schema of the table `quotes`, and its changesets.
enum QuotesTable {
  static let schema = Schema(
    name: "quotes", key: .integer,
    columns: [
      Column("id", .integer), Column("symbol", .text), Column("sector", .text), Column("price", .number),
      Column("size", .integer), Column("bid", .number), Column("ask", .number), Column("ts", .timestamp),
      Column("side", .text), Column("note", .text),
    ])

  /// Returns upserts of these rows.
  static func rows(_ range: some Collection<Int>, of quotes: Quotes) -> Changeset {
    var changes = Changeset()
    changes.reserveCapacity(rows: range.count, cells: range.count * 10, bytes: range.count * 48)
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
      for index in range {
        let quote = quotes.row(index)
        changes.beginRow(.upsert, key: Int64(index))
        changes.append(integer: Int64(index))
        changes.append(text: UnsafeRawBufferPointer(rebasing: buffer[..<quote.writeSymbol(into: buffer)]))
        changes.append(text: UnsafeRawBufferPointer(rebasing: buffer[..<quote.writeSector(into: buffer)]))
        changes.append(number: quote.price)
        changes.append(integer: Int64(quote.size))
        changes.append(number: quote.bid)
        changes.append(number: quote.ask)
        changes.append(timestamp: quote.milliseconds * 1_000_000)
        changes.append(.text(quote.sideText))
        changes.append(text: UnsafeRawBufferPointer(rebasing: buffer[..<quote.writeNote(into: buffer)]))
      }
    }
    return changes
  }

  /// Returns the updates with these counters, for `rows` keys starting at `least`. The last update
  /// of a key counts.
  static func updates(
    _ counters: Range<Int>, of quotes: Quotes, rows: Int, from least: Int = 0
  ) -> (Changeset, [QuoteUpdate]) {
    var changes = Changeset()
    var list: [QuoteUpdate] = []
    for counter in counters {
      var update = quotes.update(counter, of: rows)
      update.id += least
      list.append(update)
      changes.beginRow(.update, key: Int64(update.id))
      for _ in 0..<3 { changes.appendUnchanged() }
      changes.append(number: update.price)
      changes.append(integer: Int64(update.size))
      changes.append(number: update.bid)
      changes.append(number: update.ask)
      changes.append(timestamp: update.milliseconds * 1_000_000)
      for _ in 0..<2 { changes.appendUnchanged() }
    }
    return (changes, list)
  }
}
