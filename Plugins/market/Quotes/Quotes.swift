/// The synthetic table `quotes`. Every value is a pure function of a counter, so that tests can
/// compute the expected row.
///
///     let quotes = Quotes()
///     quotes.row(7)                          // the initial row
///     quotes.update(0, of: 1_000_000)        // the first change: a row's id and new values
///
/// Seed 0 gives the workload that the benchmarks of different engines share.
public struct Quotes: Sendable {
  /// The columns' names, in order.
  public static let columns = ["id", "symbol", "sector", "price", "size", "bid", "ask", "ts", "side", "note"]

  @usableFromInline let offset: UInt64

  /// Creates the table of a seed.
  public init(seed: UInt64 = 0) {
    // The offset keeps the counters of two seeds apart.
    offset = seed &<< 40
  }

  /// Returns the splitmix64 hash of a counter.
  @inlinable
  public static func mix(_ x: UInt64) -> UInt64 {
    var z = x &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
  }

  /// Returns number `i` of stream `s`.
  @inlinable
  public static func h(_ s: UInt64, _ i: UInt64) -> UInt64 { mix(mix(s) &+ i) }

  @inlinable
  func draw(_ s: UInt64, _ i: UInt64) -> UInt64 { Self.h(s, i &+ offset) }

  /// Returns the initial row `i`.
  @inlinable
  public func row(_ i: Int) -> Quote {
    let counter = UInt64(i)
    let price = Double(draw(2, counter) % 1_000_000_000) / 10_000
    let spread = Double(1 + draw(4, counter) % 10) / 100
    let symbol = draw(1, counter) % 10_000
    return Quote(
      id: i, symbol: Int(symbol), price: price, size: Int(1 + draw(3, counter) % 10_000), bid: price - spread,
      ask: price + spread, milliseconds: 1_700_000_000_000 + Int64(i), isSell: draw(5, counter) & 1 != 0,
      note: draw(6, counter))
  }

  /// Returns change number `u` of a table with this many rows: a row's id and its new values.
  @inlinable
  public func update(_ u: Int, of rows: Int) -> QuoteUpdate {
    let counter = UInt64(u)
    let price = Double(draw(12, counter) % 1_000_000_000) / 10_000
    let spread = Double(1 + draw(14, counter) % 10) / 100
    return QuoteUpdate(
      id: Int(draw(11, counter) % UInt64(rows)), price: price, size: Int(1 + draw(13, counter) % 10_000),
      bid: price - spread, ask: price + spread, milliseconds: 1_700_010_000_000 + Int64(u))
  }
}
