import ListEngine
import Testing

@testable import Server

@Suite struct TokenBucketTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  /// Returns the number of tokens that can be taken now.
  private func drain(_ bucket: inout TokenBucket, at moment: Instant) -> Int {
    var count = 0
    while bucket.take(at: moment) { count += 1 }
    return count
  }

  @Test func `grants a burst and then the rate`() {
    var bucket = TokenBucket(rate: 200, burst: 400, at: at(0))
    #expect(drain(&bucket, at: at(0)) == 400)
    #expect(drain(&bucket, at: at(4)) == 0)
    #expect(drain(&bucket, at: at(5)) == 1)
    #expect(drain(&bucket, at: at(1_005)) == 200)
    #expect(drain(&bucket, at: at(1_000_000)) == 400)
  }

  @Test func `accumulates at most one burst of unused tokens`() {
    var bucket = TokenBucket(rate: 10, burst: 5, at: at(0))
    #expect(drain(&bucket, at: at(60_000)) == 5)
    // First the time for two tokens passes; then, in two steps, the time for six.
    #expect(drain(&bucket, at: at(60_200)) == 2)
    _ = bucket.isFull(at: at(60_600))
    #expect(drain(&bucket, at: at(60_800)) == 5)
  }

  @Test func `grants no extra tokens if the clock stops or jumps`() {
    var bucket = TokenBucket(rate: 10, burst: 5, at: at(1_000))
    #expect(drain(&bucket, at: at(1_000)) == 5)
    #expect(drain(&bucket, at: at(0)) == 0)
    #expect(drain(&bucket, at: at(1_000)) == 0)
    #expect(drain(&bucket, at: Instant(nanoseconds: .max)) == 5)
  }

  @Test func `reports whether it is full or empty`() {
    var bucket = TokenBucket(rate: 10, burst: 1, at: at(0))
    let isFullAtFirst = bucket.isFull(at: at(0))
    let isTaken = bucket.take(at: at(0))
    let isEmpty = [bucket.isEmpty(at: at(99)), bucket.isEmpty(at: at(100))]
    let isFullAgain = bucket.isFull(at: at(100))
    #expect(isFullAtFirst && isTaken && isFullAgain)
    #expect(isEmpty == [true, false])
  }

  @Test func `grants any cost while a token is left, without debt`() {
    var bucket = TokenBucket(rate: 1, burst: 10, at: .zero)
    var taken = [7, 2, .max, 1].map { bucket.take($0, at: .zero) }
    #expect(taken == [true, true, true, false], "a single token is enough for any cost, and none is left then")
    taken = [1, 1].map { bucket.take($0, at: .zero.advanced(by: .seconds(1))) }
    #expect(taken == [true, false], "nothing is owed, and nothing is given")
  }
}
