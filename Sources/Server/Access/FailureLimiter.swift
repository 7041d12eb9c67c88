import Glibc
import ListEngine

/// A rate limit for responses to wrong tokens, per address.
///
/// A valid token is always accepted, so that guessing does not lock out other clients of the same
/// address. Tokens have 256 bits, which are safe at any rate of guesses.
struct FailureLimiter {
  static let rate = 10
  static let burst = 10
  /// The number of addresses counted separately; all others share one bucket.
  static let greatestCount = 4_096

  private var buckets: [String: TokenBucket] = [:]
  private var others: TokenBucket

  init(at now: Instant) { others = TokenBucket(rate: Self.rate, burst: Self.burst, at: now) }

  /// Counts a wrong token from this address.
  ///
  /// - Returns: Whether to report the failure; otherwise the limit is exceeded.
  mutating func noteFailure(from address: String, at now: Instant) -> Bool {
    let name = Self.network(of: address)
    if buckets[name] == nil, buckets.count >= Self.greatestCount {
      for (name, var bucket) in buckets where bucket.isFull(at: now) { buckets[name] = nil }
    }
    guard buckets[name] != nil || buckets.count < Self.greatestCount else { return others.take(at: now) }
    return buckets[name, default: TokenBucket(rate: Self.rate, burst: Self.burst, at: now)].take(at: now)
  }

  /// Returns the network of an address: an IPv4 address, or the first 64 bits of an IPv6 address.
  static func network(of address: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1, address != "::1" else { return address }
    if address.hasPrefix("::ffff:"), address.contains(".") { return String(address.dropFirst(7)) }
    return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
  }
}
