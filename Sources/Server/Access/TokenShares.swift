/// Use counts of a shared resource per token, limited so that one token leaves room for others.
///
///     shares.take(pass.token)      // false: the token has used up its share
///     shares.release(pass.token)
///
/// Clients without a token are not counted, because they are indistinguishable.
struct TokenShares {
  /// The maximum count per token.
  var limit: Int
  private var counts: [AccessToken: Int] = [:]

  /// Creates counts with this maximum.
  init(limit: Int) { self.limit = limit }

  /// Returns the effective limit: the operator's choice, or else a default.
  ///
  /// A single token may use everything; one of several tokens has the standard share.
  static func limit(configured: Int?, tokens: Int, standard: Int, all: Int) -> Int {
    configured ?? (tokens > 1 ? standard : all)
  }

  /// Increments the count of a token; returns `false` if the limit is reached.
  mutating func take(_ token: AccessToken?) -> Bool {
    guard let token else { return true }
    guard counts[token, default: 0] < limit else { return false }
    counts[token, default: 0] += 1
    return true
  }

  /// Decrements the count of a token.
  mutating func release(_ token: AccessToken?) {
    guard let token, let count = counts[token] else { return }
    counts[token] = count > 1 ? count - 1 : nil
  }
}
