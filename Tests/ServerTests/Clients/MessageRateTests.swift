import ListEngine
import Testing

@testable import Server

/// Tests of the rate limit for messages with the default configuration.
@Suite struct MessageRateTests {
  private var rate = MessageRate(
    TokenBucket(rate: ServerConfiguration().messageRate, burst: ServerConfiguration().messageBurst, at: .zero))

  /// Returns the findings other than `fine` by the number of the message, counted from 1.
  private mutating func send(_ count: Int, at milliseconds: Int) -> [Int: MessageRate.Finding] {
    var found: [Int: MessageRate.Finding] = [:]
    for number in 1...count {
      let finding = rate.note(at: .zero.advanced(by: .milliseconds(milliseconds)))
      if finding != .fine { found[number] = finding }
    }
    return found
  }

  @Test mutating func `pauses after a burst of 400 messages`() {
    #expect(send(399, at: 0) == [:])
    // Messages that were read together with the last one are still accepted.
    #expect(send(50, at: 0) == [1: .enough])
  }

  @Test mutating func `counts a costly message as several messages`() {
    #expect(rate.note(399, at: .zero) == .fine)
    #expect(rate.note(20, at: .zero) == .enough, "more than is left is all that is left")
    #expect(rate.note(20, at: .zero.advanced(by: .milliseconds(500))) == .fine)
    #expect(rate.note(80, at: .zero.advanced(by: .milliseconds(500))) == .enough)
  }

  @Test func `query cost grows with the table's rows, up to 20`() {
    let rows = Server.rowsPerMessage
    #expect([0, rows - 1, rows, 3 * rows, 1_000 * rows].map(Server.queryCost) == [1, 1, 2, 4, 20])
  }

  @Test mutating func `accepts 200 messages a second without a pause`() {
    #expect(send(300, at: 0) == [:])
    for second in 1...100 { #expect(send(200, at: second * 1_000) == [:], "second \(second)") }
  }

  @Test mutating func `reports tooMuch after 20 pauses in a row`() {
    #expect(send(400, at: 0) == [400: .enough])
    for pause in 2...20 { #expect(send(100, at: (pause - 1) * 500) == [100: .enough], "pause \(pause)") }
    #expect(send(101, at: 10_000) == [100: .tooMuch, 101: .tooMuch])
  }

  @Test mutating func `two quiet seconds reset the count of pauses`() {
    _ = send(400, at: 0)
    for pause in 2...20 { _ = send(100, at: (pause - 1) * 500) }
    var restless = self
    // The full burst is available again after two seconds, and not earlier.
    #expect(restless.send(399, at: 11_499) == [399: .tooMuch])
    #expect(send(400, at: 11_500) == [400: .enough])
  }
}
