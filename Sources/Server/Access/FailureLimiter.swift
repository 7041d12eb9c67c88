import Glibc
import ListEngine

/// Bounds how many wrong tokens an address is told about: ten a second. A right one is let in at any time, so that nobody can lock
/// somebody else out by guessing from the same address; 256 bits are not guessed at any rate.
struct FailureLimiter {
  static let rate = 10
  static let burst = 10
  /// How many addresses are told apart; all others are counted as one.
  static let greatestCount = 4_096

  private var buckets: [String: TokenBucket] = [:]
  private var others: TokenBucket

  init(at now: Instant) { others = TokenBucket(rate: Self.rate, burst: Self.burst, at: now) }

  /// Notes that somebody at this address was wrong.
  ///
  /// - Returns: whether to say so; otherwise it was wrong too often.
  mutating func noteFailure(from address: String, at now: Instant) -> Bool {
    let name = Self.network(of: address)
    if buckets[name] == nil, buckets.count >= Self.greatestCount {
      for (name, var bucket) in buckets where bucket.isFull(at: now) { buckets[name] = nil }
    }
    guard buckets[name] != nil || buckets.count < Self.greatestCount else { return others.take(at: now) }
    return buckets[name, default: TokenBucket(rate: Self.rate, burst: Self.burst, at: now)].take(at: now)
  }

  /// What one stranger has to itself: an IPv4 address, or the first 64 bits of an IPv6 address.
  static func network(of address: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1, address != "::1" else { return address }
    if address.hasPrefix("::ffff:"), address.contains(".") { return String(address.dropFirst(7)) }
    return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
  }
}
