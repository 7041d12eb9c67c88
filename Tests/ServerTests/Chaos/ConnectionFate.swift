/// The network faults of one connection, derived from a seed and the connection's number.
///
/// Faults occur at byte counts rather than at times, so a seed gives the same faults on any
/// machine.
struct ConnectionFate: Equatable {
  /// The direction of data.
  enum Direction: Int, CaseIterable {
    case toServer
    case toClient
  }

  /// The premature end of a connection.
  enum End: Equatable {
    case never
    /// Both sides receive a reset after a number of bytes in one direction.
    case reset(Direction, after: Int)
    /// One direction ends after a number of bytes; the other one continues.
    case halfClose(Direction, after: Int)
  }

  var end = End.never
  /// The maximum size of a piece, which splits frames and headers.
  var piece = 65_536
  /// The maximum rate in bytes per second; 0 for no limit.
  var rate = 0.0
  /// The interval between delayed pieces; 0 for none.
  var delayedPiece = 0
  /// The delay in seconds.
  var delay = 0.0

  /// A connection without faults.
  static let calm = ConnectionFate()

  private init() {}

  init(seed: UInt64, connection: Int) {
    var dice = SplitMix(state: seed &+ UInt64(connection) &* 0x9E37_79B9_7F4A_7C15)
    func isDrawn(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < part }
    let direction = isDrawn(0.7) ? Direction.toClient : .toServer
    // During the upgrade, during the hello and the first window, or during later patches.
    let places = direction == .toClient ? [0...400, 401...2_000, 2_001...8_000] : [0...300, 301...500, 501...1_000]
    let after = Int.random(in: places[Int.random(in: 0..<3, using: &dice)], using: &dice)
    end = isDrawn(0.6) ? .reset(direction, after: after) : .halfClose(direction, after: after)
    if isDrawn(0.5) {
      piece = isDrawn(0.5) ? Int.random(in: 1...9, using: &dice) : Int.random(in: 10...500, using: &dice)
    }
    if isDrawn(0.2) { rate = Double(Int.random(in: 10_000...100_000, using: &dice)) }
    if isDrawn(0.4) {
      delayedPiece = Int.random(in: 1...20, using: &dice)
      delay = Double.random(in: 0.001...0.1, using: &dice)
      // Limit the total delay of connections with small pieces.
      if piece < 500 { (delayedPiece, delay) = (delayedPiece * 50, delay / 4) }
    }
  }
}

/// A [SplitMix64](https://prng.di.unimi.it/splitmix64.c) random number generator, deterministic for
/// its seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
