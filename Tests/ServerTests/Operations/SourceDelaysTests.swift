import ListEngine
import Testing

@testable import Server

/// Tests of the delays measured for a table.
@Suite struct SourceDelaysTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  private func sent(_ delays: inout SourceDelays, after from: Int, through cut: Int, at now: Int) -> [Int] {
    var found: [Int] = []
    delays.noteSent(after: at(from), through: at(cut), at: at(now)) { found.append(Int($0.nanoseconds / 1_000_000)) }
    return found
  }

  @Test func `measures only the deliveries in the time span of a patch`() {
    var delays = SourceDelays()
    for (receivedAt, applied) in [(0, 10), (11, 20), (12, 30), (35, 40)] {
      delays.noteArrival(receivedAt: at(receivedAt), at: at(applied))
    }
    #expect(sent(&delays, after: 10, through: 30, at: 50) == [38, 39])
    #expect(sent(&delays, after: 9, through: 40, at: 50) == [15, 38, 39, 50])
    #expect(sent(&delays, after: 40, through: 50, at: 50) == [])
  }

  @Test func `measures only the last 64 deliveries of a patch`() {
    var delays = SourceDelays()
    for n in 1...1_000 { delays.noteArrival(receivedAt: at(n), at: at(n)) }
    #expect(sent(&delays, after: 0, through: 1_000, at: 1_000) == Array(0..<SourceDelays.greatestPerPatch))
  }

  @Test func `keeps delays for ten seconds, and at most 1,024 of them`() throws {
    var delays = SourceDelays()
    #expect(delays.recent(at: at(0)) == nil)
    for n in 1...100 { delays.noteArrival(receivedAt: at(0), at: at(n)) }
    for n in 1...100 { _ = sent(&delays, after: n - 1, through: n, at: n) }
    let recent = try #require(delays.recent(at: at(10_050)))
    #expect(recent.count == 51)
    #expect(recent.p50 == 75)
    #expect(recent.p99 == 100)
    #expect(delays.recent(at: at(10_101)) == nil)
    for _ in 0..<3_000 { _ = sent(&delays, after: 99, through: 100, at: 10_000) }
    #expect(delays.recent(at: at(10_000))?.count == SourceDelays.greatestSamples)
  }
}

/// Tests of the watchers of statistics, and of the time spans of rates.
@Suite struct StatsFeedTests {
  private func at(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }
  private let client = SessionID(rawValue: 1)

  private func note(_ feed: inout StatsFeed, _ second: Int, changes: UInt64, reported: UInt64 = 0, flushes: UInt64 = 0)
  {
    var counters = EngineCounters()
    (counters.changes, counters.throttledFlushes) = (reported, flushes)
    feed.note(StatsFeed.Moment(at: at(second), counters: counters, changes: [changes]))
  }

  @Test func `has a deadline only while a session watches`() {
    var feed = StatsFeed()
    #expect(feed.deadline == nil)
    feed.watch(client, at: at(5))
    let isDue = feed.takeDue(at: at(5))
    #expect(isDue)
    let isDueAgain = feed.takeDue(at: Instant(nanoseconds: 5_999_999_999))
    #expect(!isDueAgain)
    feed.watch(SessionID(rawValue: 2), at: at(5))
    #expect(feed.deadline == at(6))
    feed.unwatch(client)
    #expect(feed.deadline == at(6))
    feed.unwatch(SessionID(rawValue: 2))
    #expect(feed.deadline == nil)
    let isDueInTheEnd = feed.takeDue(at: at(60))
    #expect(!isDueInTheEnd)
  }

  @Test func `computes rates over the last ten seconds`() {
    var feed = StatsFeed()
    feed.watch(client, at: at(0))
    #expect(feed.changes(of: 0) == nil)
    note(&feed, 0, changes: 1_000)
    #expect(feed.changes(of: 0) == nil)
    #expect(feed.coalescing == nil)
    note(&feed, 2, changes: 1_100, reported: 30, flushes: 4)
    #expect(feed.changes(of: 0) == 50)
    #expect(feed.coalescing == 7.5)
    #expect(feed.changes(of: 1) == nil)
    for second in 3...12 { note(&feed, second, changes: 1_100 + UInt64(second - 2) * 10, reported: 30, flushes: 4) }
    #expect(feed.changes(of: 0) == 10)
    #expect(feed.coalescing == nil)
  }
}
