/// Counts what the holders of each token have of something that all share, so that one token leaves room for the others.
///
///     shares.take(pass.token)      // false: this token has its share already
///     shares.release(pass.token)
///
/// Who needs no token has no share of his own: then nobody can be told from another.
struct TokenShares {
  /// The greatest count of one token.
  var limit: Int
  private var counts: [AccessToken: Int] = [:]

  /// Shares of at most so many.
  init(limit: Int) { self.limit = limit }

  /// Returns the limit that holds: the one chosen by the operator, if any. Without one, all clients of a server may have its
  /// only token, so that it has all; one of several tokens has the standard share.
  static func limit(chosen: Int?, tokens: Int, standard: Int, all: Int) -> Int {
    chosen ?? (tokens > 1 ? standard : all)
  }

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
