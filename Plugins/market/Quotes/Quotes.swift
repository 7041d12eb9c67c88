/// The made-up table `quotes`: every value is a pure function of a counter, so that anyone can say what a row must be.
///
///     let quotes = Quotes()
///     quotes.row(7)                          // as it was loaded
///     quotes.update(0, of: 1_000_000)        // the first change: which row, and its new values
///
/// With seed 0 it is exactly the workload that benchmarks of different engines share; another seed gives another table.
public struct Quotes: Sendable {
  /// The columns' names, in order.
  public static let columns = ["id", "symbol", "sector", "price", "size", "bid", "ask", "ts", "side", "note"]

  @usableFromInline let offset: UInt64

  /// The table of this seed.
  public init(seed: UInt64 = 0) {
    // Far enough apart that the counters of two seeds do not meet.
    offset = seed &<< 40
  }

  /// Scatters a counter over all 64-bit numbers (splitmix64).
  @inlinable
  public static func mix(_ x: UInt64) -> UInt64 {
    var z = x &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
  }

  /// Number `i` of stream `s`.
  @inlinable
  public static func h(_ s: UInt64, _ i: UInt64) -> UInt64 { mix(mix(s) &+ i) }

  @inlinable
  func draw(_ s: UInt64, _ i: UInt64) -> UInt64 { Self.h(s, i &+ offset) }

  /// Row `i` as it is loaded.
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

  /// Change number `u` of a table with so many rows: the id of the row, and its new values; the other columns stay.
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
