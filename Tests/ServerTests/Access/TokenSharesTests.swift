import Testing

@testable import Server

@Suite struct TokenSharesTests {
  private let one = AccessToken(role: .viewer)
  private let other = AccessToken(role: .viewer)

  private func takes(_ count: Int, of token: AccessToken?, _ shares: inout TokenShares) -> [Bool] {
    var taken: [Bool] = []
    for _ in 0..<count { taken.append(shares.take(token)) }
    return taken
  }

  @Test func `limits each token to its own share`() {
    var shares = TokenShares(limit: 2)
    #expect(takes(3, of: one, &shares) == [true, true, false])
    #expect(takes(1, of: other, &shares) == [true])
    shares.release(one)
    #expect(takes(2, of: one, &shares) == [true, false])
  }

  @Test func `clients without a token are not limited`() {
    var shares = TokenShares(limit: 1)
    #expect(takes(3, of: nil, &shares) == [true, true, true])
    shares.release(nil)
  }

  @Test func `a release without a take does not raise the limit`() {
    var shares = TokenShares(limit: 1)
    shares.release(one)
    #expect(takes(2, of: one, &shares) == [true, false])
  }

  @Test func `a single token gets everything unless a limit is chosen`() {
    func limit(_ configured: Int?, _ tokens: Int) -> Int {
      TokenShares.limit(configured: configured, tokens: tokens, standard: 4, all: 8)
    }
    #expect([0, 1, 2, 3].map { limit(nil, $0) } == [8, 8, 4, 4])
    #expect([1, 2].map { limit(3, $0) } == [3, 3])
  }
}
