import ListTesting
import Testing

@testable import ListEngine

/// Issue 3: tick classes shared by sessions.
@Suite struct TicksTests {
  private func at(_ milliseconds: Int) -> Instant { Instant.zero.advanced(by: .milliseconds(milliseconds)) }
  private let interval: Duration = .milliseconds(300)

  @Test func `a tick is at least one interval after the previous one`() {
    var ticks = Ticks()
    #expect(ticks[interval] == nil)
    ticks.noteFlush(of: interval, at: at(0))
    ticks.noteFlush(of: interval, at: at(299))
    #expect(ticks[interval] == at(0))
    ticks.noteFlush(of: .milliseconds(100), at: at(299))
    ticks.noteFlush(of: interval, at: at(310))
    #expect(ticks[interval] == at(310))
    #expect(ticks[.milliseconds(100)] == at(299))
  }

  @Test func `a flush after the clock went back becomes the tick`() {
    var ticks = Ticks()
    ticks.noteFlush(of: interval, at: at(1000))
    ticks.noteFlush(of: interval, at: at(10))
    #expect(ticks[interval] == at(10))
  }

  /// Returns a throttle that flushed at `flushed` and was notified of a change at `changed`.
  private func throttle(flushed: Int, changed: Int) -> Throttle {
    var throttle = Throttle(interval: interval)
    throttle.noteChange(at: at(flushed))
    _ = throttle.takeFlush(at: at(flushed))
    throttle.noteChange(at: at(changed))
    return throttle
  }

  @Test(arguments: [
    (0, 300), (100, 400), (299, 599), (300, 300), (-200, 400), (-900, 300), (301, 301), (700, 400), (-201, 399),
  ]) func `a delayed flush is aligned to the tick modulo the interval`(_ tick: Int, _ due: Int) {
    #expect(throttle(flushed: 0, changed: 50).deadline(inStepWith: at(tick)) == at(due))
  }

  @Test func `the first change after a quiet time waits for no tick`() {
    #expect(throttle(flushed: 0, changed: 300).deadline(inStepWith: at(100)) == at(300))
    #expect(throttle(flushed: 0, changed: 950).deadline(inStepWith: at(100)) == at(950))
    #expect(throttle(flushed: 0, changed: 299).deadline(inStepWith: at(100)) == at(400))
    #expect(throttle(flushed: 0, changed: 50).deadline(inStepWith: nil) == at(300))
  }

  @Test func `a zero interval ignores ticks`() {
    var throttle = Throttle(interval: .zero)
    throttle.noteChange(at: at(7))
    #expect(throttle.deadline(inStepWith: at(3)) == at(7))
  }

  @Test func `clients with different start times align and share patches`() throws {
    let harness = try Harness(rows: 30)
    harness.open(1)
    harness.open(2)
    try harness.settle()
    var value = 1000
    /// Makes a change every 10 ms.
    ///
    /// Returns the times of each session's deliveries in milliseconds.
    func sent(_ duration: Int) throws -> [UInt64: [Int]] {
      var times: [UInt64: [Int]] = [:]
      for _ in 0..<duration / 10 {
        value += 1
        harness.change { $0.update(1, value: value) }
        let before = harness.deliveries.count
        try harness.advance(by: .milliseconds(10))
        for (session, _) in harness.deliveries[before...] {
          times[session.rawValue, default: []].append(Int(harness.clock.now.nanoseconds / 1_000_000))
          harness.acknowledge(session)
        }
      }
      return times
    }
    let first = SessionID(rawValue: 1)
    let second = SessionID(rawValue: 2)
    // The second session is hidden until the first is in the middle of its interval.
    harness.engine.handle(.visibility(second, isHidden: true), at: harness.clock.now)
    _ = try sent(1000)
    harness.engine.handle(.visibility(second, isHidden: false), at: harness.clock.now)
    _ = try sent(1000)
    let times = try sent(3000)
    #expect(times[1]?.count == 10)
    #expect(times[1] == times[2])
    let last = harness.deliveries.suffix(2)
    #expect(Set(last.map(\.session)) == [first, second])
    #expect(last.first?.delivery.patch === last.last?.delivery.patch)
    for pair in zip(times[1] ?? [], (times[1] ?? []).dropFirst()) { #expect(pair.1 - pair.0 == 300) }
  }

  @Test func `a late throttle keeps its lag until a quiet time`() {
    var late = throttle(flushed: 0, changed: 50)
    func flush(_ now: Int, tick: Int) {
      let isFlushed = late.takeFlush(at: at(now), inStepWith: at(tick))
      #expect(isFlushed, "\(now)")
    }
    flush(340, tick: 300)
    late.noteChange(at: at(350))
    #expect(late.deadline(inStepWith: at(300)) == at(640))
    #expect(late.deadline(inStepWith: at(605)) == at(645), "the others were a little late themselves")
    flush(640, tick: 600)
    // Served even later, it falls further behind.
    late.noteChange(at: at(700))
    flush(1000, tick: 900)
    late.noteChange(at: at(1010))
    #expect(late.deadline(inStepWith: at(1200)) == at(1300))
    // After a quiet time it is in step again.
    flush(1300, tick: 1200)
    late.noteChange(at: at(1650))
    flush(1650, tick: 1500)
    late.noteChange(at: at(1660))
    #expect(late.deadline(inStepWith: at(1500)) == at(2100))
  }

  @Test func `sessions beyond one turn's work are served once an interval`() throws {
    var limits = Limits()
    limits.turnRows = 8
    let harness = try Harness(limits: limits, rows: 400)
    for client in 1...20 { harness.open(UInt64(client), first: client * 15, buffer: 0) }
    try harness.settle()
    let before = harness.deliveries.count
    for step in 1...900 {
      harness.change { changes in
        for row in stride(from: step % 2, to: 400, by: 2) { changes.update(row, value: step) }
      }
      // A turn serves one session, and there are five turns every 5 ms.
      for _ in 0..<5 {
        let sent = harness.deliveries.count
        try harness.advance(by: .milliseconds(1))
        for (session, _) in harness.deliveries[sent...] { harness.acknowledge(session) }
      }
    }
    let counts = harness.deliveries[before...].reduce(into: [:]) { $0[$1.session.rawValue, default: 0] += 1 }
    #expect(counts.count == 20)
    // 4.5 s at 300 ms each.
    for (client, count) in counts { #expect((14...15).contains(count), "page \(client): \(count)") }
  }

  @Test func `a single client's next interval starts at its late flush`() throws {
    let harness = try Harness(rows: 30)
    harness.open()
    try harness.settle()
    try harness.settle(by: .seconds(5))
    harness.change { $0.update(1, value: 1) }
    try harness.settle()
    harness.change { $0.update(1, value: 2) }
    let due = harness.clock.now.advanced(by: .milliseconds(300))
    #expect(harness.engine.deadline == due)
    // When called late, the next interval starts at that time.
    #expect(try harness.advance(by: .milliseconds(345)).count == 1)
    harness.acknowledge()
    harness.change { $0.update(1, value: 3) }
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(300)))
  }
}
