/// Counts what the holders of each token have of something that all share, so that one token leaves room for the others.
///
///     shares.take(pass.token)      // false: this token has its share already
///     shares.release(pass.token)
///
/// Who needs no token has no share of his own: then nobody can be told from another.
struct TokenShares {
  /// How many one token may have.
  let limit: Int
  private var counts: [AccessToken: Int] = [:]

  /// Shares of at most so many.
  init(limit: Int) { self.limit = limit }

  /// Takes one more; false when the token has as many as it may.
  mutating func take(_ token: AccessToken?) -> Bool {
    guard let token else { return true }
    guard counts[token, default: 0] < limit else { return false }
    counts[token, default: 0] += 1
    return true
  }

  /// Gives one back that was taken.
  mutating func release(_ token: AccessToken?) {
    guard let token, let count = counts[token] else { return }
    counts[token] = count > 1 ? count - 1 : nil
  }
}
