/// A change to a row of the table `quotes`. Columns without a property keep their values.
public struct QuoteUpdate: Hashable, Sendable {
  /// The row's key.
  public var id: Int
  /// The price.
  public var price: Double
  /// The size.
  public var size: Int
  /// The bid, slightly below the price.
  public var bid: Double
  /// The ask, slightly above the price.
  public var ask: Double
  /// The time in milliseconds since 1970-01-01T00:00Z.
  public var milliseconds: Int64

  @usableFromInline
  init(id: Int, price: Double, size: Int, bid: Double, ask: Double, milliseconds: Int64) {
    self.id = id
    self.price = price
    self.size = size
    self.bid = bid
    self.ask = ask
    self.milliseconds = milliseconds
  }
}
