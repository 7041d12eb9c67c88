/// A change of one row of the table `quotes`: the columns that are not named here stay.
public struct QuoteUpdate: Hashable, Sendable {
  /// The row's key.
  public var id: Int
  /// The price.
  public var price: Double
  /// The size.
  public var size: Int
  /// A little less than the price.
  public var bid: Double
  /// A little more than the price.
  public var ask: Double
  /// Milliseconds since 1970.
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
