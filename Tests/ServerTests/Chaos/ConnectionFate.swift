/// What a network does to one connection, drawn from a seed and the connection's number alone: bytes decide when it happens, not the clock,
/// so a seed says the same on a fast machine and on a slow one.
struct ConnectionFate: Equatable {
  /// Which way bytes go.
  enum Direction: Int, CaseIterable {
    case toServer
    case toClient
  }

  /// How it ends before its time.
  enum End: Equatable {
    case never
    /// Both sides are told that it is gone, after so many bytes of one direction.
    case reset(Direction, after: Int)
    /// One direction ends, after so many bytes of it; the other one goes on.
    case halfClose(Direction, after: Int)
  }

  var end = End.never
  /// At most so many bytes are passed on at once: frames and heads come in pieces.
  var piece = 65_536
  /// At most so many bytes a second pass; 0 for no such bound.
  var rate = 0.0
  /// Of so many pieces one is held back; 0 for none.
  var delayedPiece = 0
  /// For how long, in seconds.
  var delay = 0.0

  /// A connection to which nothing happens.
  static let calm = ConnectionFate()

  private init() {}

  init(seed: UInt64, connection: Int) {
    var dice = SplitMix(state: seed &+ UInt64(connection) &* 0x9E37_79B9_7F4A_7C15)
    func isDrawn(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < part }
    let direction = isDrawn(0.7) ? Direction.toClient : .toServer
    // In the upgrade, in the hello and the first window, or in the patches behind.
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
      // What is held back again and again must still come to its end.
      if piece < 500 { (delayedPiece, delay) = (delayedPiece * 50, delay / 4) }
    }
  }
}

/// A small generator whose numbers follow from its seed.
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
