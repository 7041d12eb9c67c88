import ListTesting
import Testing

@testable import ListEngine

/// The rules of design.md 4.8.
///
/// Items are numbers: positions in a list through which a user scrolls.
@Suite struct PrefetchQueueTests {
  private typealias Queue = PrefetchQueue<Int>
  private let one = SessionID(rawValue: 1)
  private let two = SessionID(rawValue: 2)

  /// A queue, a record of its commands, and a clock.
  private final class Bench {
    var queue: Queue
    var clock = ManualClock()

    init(_ policy: PrefetchPolicy = PrefetchPolicy(inFlight: 3)) { queue = Queue(policy) }

    /// Sets the visible range of a session that scrolls down or up.
    func look(
      _ holder: SessionID, _ visible: Range<Int>, leading: Range<Int> = 0..<0, trailing: Range<Int> = 0..<0,
      isTravellingUp: Bool = false
    ) {
      func targets(_ range: Range<Int>, _ zone: Queue.Zone, isUp: Bool) -> [Queue.Target] {
        (isUp ? Array(range.reversed()) : Array(range)).enumerated().map { Queue.Target($1, zone, $0) }
      }
      queue.want(
        targets(visible, .visible, isUp: isTravellingUp) + targets(leading, .leading, isUp: isTravellingUp)
          + targets(trailing, .trailing, isUp: !isTravellingUp), by: holder, at: clock.now)
    }

    /// Returns the source's commands after so many milliseconds: `+3` to load, `-3` to cancel.
    func commands(after milliseconds: Int64 = 0) -> [String] {
      clock.advance(by: .milliseconds(milliseconds))
      let commands = queue.advance(to: clock.now)
      return commands.cancels.map { "-\($0)" } + commands.loads.map { "+\($0)" }
    }

    /// Answers all requests one by one.
    ///
    /// Returns their order.
    func drain() -> [Int] {
      var order: [Int] = []
      while true {
        let loads = queue.advance(to: clock.now).loads
        guard !loads.isEmpty else { return order }
        order += loads
        for item in loads { _ = queue.finish(item, at: clock.now) }
      }
    }

    func finish(_ item: Int) -> Queue.Arrival { queue.finish(item, at: clock.now) }
    func fail(_ item: Int) -> Bool { queue.fail(item, at: clock.now) }
    /// The time until the next deadline.
    var pause: Duration? { queue.deadline.map { clock.now.duration(to: $0) } }
  }

  // MARK: Order

  @Test func `loads visible items first, then leading, then trailing ones`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 10..<13, leading: 13..<16, trailing: 8..<10)
    #expect(bench.drain() == [10, 11, 12, 13, 14, 15, 9, 8])
  }

  @Test func `reverses the loading order with the scroll direction`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 10..<13, leading: 13..<15, trailing: 8..<10)
    bench.look(one, 9..<12, leading: 7..<9, trailing: 12..<14, isTravellingUp: true)
    #expect(bench.drain() == [11, 10, 9, 8, 7, 12, 13])
  }

  @Test func `ranks an item by the most urgent session that wants it`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 10..<11, leading: 11..<14)
    bench.look(two, 13..<14, leading: 14..<15)
    #expect(bench.drain() == [10, 13, 11, 14, 12])
  }

  @Test func `loads equally urgent items in the order of their requests`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(two, 5..<6)
    bench.look(one, 4..<5)
    #expect(bench.drain() == [5, 4])
  }

  @Test func `an item released and requested again is last among equals`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(two, 5..<6)
    bench.look(one, 4..<5)
    bench.queue.leave(two, at: bench.clock.now)
    bench.look(two, 5..<6)
    #expect(bench.drain() == [4, 5])
  }

  @Test func `repeated loads come last, in the order of their requests`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.queue.want(
      [.init(1, .trailing, 9, isAgain: true), .init(2, .visible, 0, isAgain: true), .init(3, .trailing, 9)],
      by: one, at: bench.clock.now)
    bench.queue.want([.init(4, .visible, 0, isAgain: true), .init(5, .leading, 0)], by: two, at: bench.clock.now)
    #expect(bench.drain() == [5, 3, 1, 2, 4])
    #expect(bench.queue.counters.renewed == 3)
    #expect(bench.queue.counters.late == 0)
  }

  @Test func `a repeated load that is new to another session is urgent`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.queue.want(
      [.init(1, .visible, 0, isAgain: true), .init(2, .visible, 1, isAgain: true)], by: one, at: bench.clock.now)
    bench.queue.want([.init(2, .visible, 0)], by: two, at: bench.clock.now)
    #expect(bench.drain() == [2, 1])
    #expect(bench.queue.counters.late == 1)
  }

  @Test func `a repeated load does not shorten another's grace period`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 0..<1)
    #expect(bench.commands() == ["+0"])
    bench.queue.want([.init(1, .visible, 0, isAgain: true)], by: one, at: bench.clock.now)
    #expect(bench.commands(after: 249) == [])
    #expect(bench.commands(after: 1) == ["-0", "+1"])
  }

  @Test func `an item is awaited until it loads, fails or is unwanted`() {
    let bench = Bench(PrefetchPolicy(inFlight: 2))
    bench.look(one, 0..<4)
    #expect((0..<5).map(bench.queue.isAwaited) == [true, true, true, true, false])
    _ = bench.commands()
    _ = bench.finish(0)
    _ = bench.fail(1)
    #expect((0..<4).map(bench.queue.isAwaited) == [false, false, true, true])
    _ = bench.commands()
    bench.look(one, 3..<4)
    // One request in flight has a grace period, but no session waits for it.
    #expect((0..<4).map(bench.queue.isAwaited) == [false, false, false, true])
  }

  @Test func `a scroll reorders the waiting items`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 0..<2, leading: 2..<6)
    #expect(bench.commands() == ["+0"])
    bench.look(one, 4..<6, leading: 6..<7, trailing: 0..<4)
    _ = bench.finish(0)
    #expect(bench.drain() == [4, 5, 6, 3, 2, 1])
  }

  // MARK: Bound, and each item once

  @Test func `does not exceed the limit of loads in flight`() {
    let bench = Bench()
    bench.look(one, 0..<10)
    #expect(bench.commands() == ["+0", "+1", "+2"])
    #expect(bench.commands(after: 1000) == [])
    _ = bench.finish(1)
    #expect(bench.pause == .zero)
    #expect(bench.commands() == ["+3"])
    #expect(bench.queue.counters.inFlight == 3)
    #expect(bench.queue.counters.waiting == 6)
  }

  @Test func `treats a limit of zero loads in flight as one`() {
    let bench = Bench(PrefetchPolicy(inFlight: 0))
    bench.look(one, 0..<3)
    #expect(bench.commands() == ["+0"])
  }

  @Test func `caps the limit of loads in flight at 1024`() {
    for (requested, bound) in [(1023, 1023), (1024, 1024), (1025, 1024), (100_000, 1024)] {
      let bench = Bench(PrefetchPolicy(inFlight: requested))
      bench.look(one, 0..<1100)
      #expect(bench.commands().count == bound)
    }
  }

  @Test func `requests an item once for any number of sessions`() {
    let bench = Bench()
    bench.look(one, 0..<2)
    bench.look(two, 0..<2)
    #expect(bench.commands() == ["+0", "+1"])
    bench.look(SessionID(rawValue: 3), 0..<2)
    #expect(bench.commands(after: 10) == [])
    _ = bench.finish(0)
    bench.look(two, 1..<2)
    #expect(bench.commands(after: 10) == [])
    #expect(bench.queue.counters.loads == 2)
  }

  // MARK: Cancel

  @Test func `drops a waiting item as soon as no session wants it`() {
    let bench = Bench()
    bench.look(one, 0..<10)
    #expect(bench.commands() == ["+0", "+1", "+2"])
    bench.look(one, 0..<3)
    #expect(bench.queue.counters.waiting == 0)
    _ = bench.finish(0)
    #expect(bench.commands() == [])
  }

  @Test func `cancels a load 250 ms after its last session leaves`() {
    let bench = Bench()
    bench.look(one, 0..<2)
    bench.look(two, 1..<2)
    #expect(bench.commands() == ["+0", "+1"])
    bench.queue.leave(one, at: bench.clock.now)
    #expect(bench.commands(after: 250) == ["-0"])
    #expect(bench.commands(after: 1000) == [])
    bench.queue.leave(two, at: bench.clock.now)
    #expect(bench.pause == .milliseconds(250))
    #expect(bench.commands(after: 249) == [])
    #expect(bench.commands(after: 1) == ["-1"])
    #expect(bench.queue.counters.cancels == 2)
    #expect(bench.queue.isEmpty)
  }

  @Test func `keeps a load that is wanted again within the grace period`() {
    let bench = Bench()
    bench.look(one, 0..<2)
    #expect(bench.commands() == ["+0", "+1"])
    bench.look(one, 1..<3)
    #expect(bench.commands(after: 200) == ["+2"])
    bench.look(one, 0..<2)
    #expect(bench.commands(after: 249) == [])
    // Item 2 was released 249 ms ago. Item 0 is needed again, and its grace period has restarted.
    #expect(bench.commands(after: 1) == ["-2"])
    bench.look(one, 1..<2)
    #expect(bench.commands(after: 249) == [])
    #expect(bench.commands(after: 1) == ["-0"])
  }

  @Test func `a waiting visible item ends the grace period of other loads`() {
    let bench = Bench()
    bench.look(one, 0..<2, leading: 2..<6)
    #expect(bench.commands() == ["+0", "+1", "+2"])
    bench.look(one, 1000..<1002, leading: 1002..<1010)
    // Two items are visible. Items that are only ahead respect the grace period.
    #expect(bench.commands() == ["-0", "-1", "+1000", "+1001"])
    #expect(bench.commands(after: 250) == ["-2", "+1002"])
  }

  @Test func `loads of a source that prefers to finish stay in flight`() {
    let bench = Bench(PrefetchPolicy(inFlight: 2, prefersToFinish: true))
    bench.look(one, 0..<2)
    #expect(bench.commands() == ["+0", "+1"])
    bench.look(one, 1000..<1003)
    #expect(bench.commands(after: 10_000) == [])
    #expect(bench.finish(0) == .unwanted)
    #expect(bench.commands() == ["+1000"])
    // Visible again, so the load was not wasted.
    bench.look(one, 1..<2)
    #expect(bench.finish(1) == .wanted)
    #expect(bench.queue.counters.wasted == 1)
    #expect(bench.queue.counters.cancels == 0)
  }

  @Test func `drop cancels loads of a source that prefers to finish`() {
    let bench = Bench(PrefetchPolicy(inFlight: 2, prefersToFinish: true))
    bench.look(one, 0..<3)
    #expect(bench.commands() == ["+0", "+1"])
    for item in 0..<3 { bench.queue.drop(item, at: bench.clock.now) }
    #expect(bench.pause == .zero)
    #expect(bench.commands() == ["-0", "-1"])
    #expect(bench.queue.isEmpty)
  }

  @Test func `keeps a dropped load that is wanted again at once`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    #expect(bench.commands() == ["+0"])
    bench.queue.drop(0, at: bench.clock.now)
    bench.look(one, 0..<1)
    #expect(bench.commands(after: 1000) == [])
    #expect(bench.finish(0) == .wanted)
  }

  @Test func `a result before the cancel is sent suppresses the cancel`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    #expect(bench.commands() == ["+0"])
    bench.queue.drop(0, at: bench.clock.now)
    #expect(bench.finish(0) == .unwanted)
    #expect(bench.commands() == [])
    #expect(bench.queue.counters.wasted == 1)
  }

  // MARK: Results

  @Test func `counts one hit when a loaded item first becomes visible`() {
    let bench = Bench()
    bench.look(one, 0..<1, leading: 1..<2)
    _ = bench.commands()
    #expect(bench.finish(1) == .wanted)
    #expect(bench.queue.counters.hits == 0)
    #expect(bench.queue.isReady(1))
    bench.look(one, 1..<2)
    #expect(bench.queue.counters.hits == 1)
    #expect(!bench.queue.isReady(1))
    bench.look(two, 1..<2)
    #expect(bench.queue.counters.hits == 1)
  }

  @Test func `a result for an item already visible counts as late`() {
    let bench = Bench()
    bench.look(one, 0..<1, leading: 1..<2)
    _ = bench.commands()
    bench.look(one, 1..<2)
    #expect(bench.finish(1) == .wanted)
    #expect(bench.queue.counters.late == 1)
    #expect(bench.queue.counters.hits == 0)
  }

  @Test func `a result that never becomes visible counts as wasted`() {
    let bench = Bench()
    bench.look(one, 0..<1, leading: 1..<2)
    _ = bench.commands()
    #expect(bench.finish(1) == .wanted)
    bench.look(one, 5..<6)
    #expect(bench.queue.counters.wasted == 1)
  }

  @Test func `counts the first result after a cancel as wasted`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    _ = bench.commands()
    bench.queue.leave(one, at: bench.clock.now)
    #expect(bench.commands(after: 250) == ["-0"])
    #expect(bench.finish(0) == .unwanted)
    #expect(bench.finish(0) == .unrequested)
    #expect(bench.queue.counters.wasted == 1)
    #expect(bench.queue.counters.unrequested == 1)
  }

  /// Requests items and then cancels them.
  private func cancel(_ items: Range<Int>, _ bench: Bench) {
    bench.look(one, items)
    _ = bench.commands()
    bench.queue.leave(one, at: bench.clock.now)
    #expect(bench.commands(after: 250).count == items.count)
  }

  @Test func `remembers at least the last 1024 cancels`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1024))
    cancel(0..<1024, bench)
    cancel(1024..<2048, bench)
    #expect(bench.finish(0) == .unwanted)
    // One more, and the first half is forgotten.
    cancel(5000..<5001, bench)
    #expect(bench.finish(1) == .unrequested)
    #expect(bench.finish(1023) == .unrequested)
    #expect(bench.finish(1024) == .unwanted)
    #expect(bench.finish(5000) == .unwanted)
    #expect(bench.queue.counters.wasted == 3)
    #expect(bench.queue.counters.unrequested == 2)
    // The same again: after as many more, the next thousand is forgotten.
    cancel(6000..<7023, bench)
    #expect(bench.finish(1025) == .unwanted)
    cancel(8000..<8001, bench)
    #expect(bench.finish(1026) == .unrequested)
    #expect(bench.finish(2047) == .unrequested)
    #expect(bench.finish(6000) == .unwanted)
  }

  @Test func `remembers an item cancelled twice by its last cancel`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1024))
    cancel(0..<1024, bench)
    cancel(2000..<3000, bench)
    cancel(0..<1, bench)
    cancel(4000..<4100, bench)
    #expect(bench.finish(1) == .unrequested)
    #expect(bench.finish(0) == .unwanted)
  }

  @Test func `accepts a result after the cancel if wanted again`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 0..<1)
    _ = bench.commands()
    bench.look(one, 1..<2)
    #expect(bench.commands() == ["-0", "+1"])
    bench.look(one, 1..<2, trailing: 0..<1)
    #expect(bench.finish(0) == .wanted)
    _ = bench.finish(1)
    #expect(bench.commands() == [])
  }

  @Test func `ignores results and failures of items not requested`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    _ = bench.commands()
    #expect(bench.finish(99) == .unrequested)
    #expect(!bench.fail(98))
    #expect(bench.queue.counters.inFlight == 1)
    #expect(bench.queue.counters.failures == 0)
  }

  // MARK: Failures

  @Test func `retries a failed load after pauses of 1 to 60 seconds`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    #expect(bench.commands() == ["+0"])
    for seconds: Int64 in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      #expect(bench.fail(0))
      #expect(bench.pause == .seconds(seconds))
      #expect(bench.commands(after: seconds * 1000 - 1) == [])
      #expect(bench.commands(after: 1) == ["+0"])
    }
    #expect(bench.queue.counters.failures == 9)
    #expect(bench.finish(0) == .wanted)
    #expect(bench.commands(after: 100_000) == [])
  }

  @Test func `failed items do not block other items`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1))
    bench.look(one, 0..<4)
    for item in 0..<3 {
      #expect(bench.commands() == ["+\(item)"])
      #expect(bench.fail(item))
    }
    #expect(bench.commands() == ["+3"])
    #expect(bench.finish(3) == .wanted)
    #expect(bench.commands(after: 1000) == ["+0"])
  }

  @Test func `an unanswered load is cancelled after the patience ends`() {
    let bench = Bench(PrefetchPolicy(inFlight: 1, patience: .seconds(5)))
    bench.look(one, 0..<2)
    #expect(bench.commands() == ["+0"])
    #expect(bench.pause == .seconds(5))
    bench.clock.advance(by: .seconds(5))
    let commands = bench.queue.advance(to: bench.clock.now)
    #expect(commands.overdue == [0])
    #expect(commands.cancels == [0])
    #expect(commands.loads == [1])
    #expect(bench.queue.counters.failures == 1)
    // The source answers after all, before the pause is over.
    #expect(bench.finish(0) == .wanted)
  }

  @Test func `releasing an item does not shorten its pause after a failure`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    _ = bench.commands()
    #expect(bench.fail(0))
    bench.queue.leave(one, at: bench.clock.now)
    #expect(bench.commands(after: 400) == [])
    bench.look(one, 0..<1)
    #expect(bench.commands(after: 599) == [])
    #expect(bench.commands(after: 1) == ["+0"])
    #expect(bench.fail(0))
    bench.queue.leave(one, at: bench.clock.now)
    // No session needs the item when the pause ends: it is forgotten together with its failures.
    #expect(bench.commands(after: 2000) == [])
    #expect(bench.queue.isEmpty)
    #expect(bench.pause == nil)
  }

  @Test func `renew requests failed and loaded items again at once`() {
    let bench = Bench()
    bench.look(one, 0..<1, leading: 1..<2)
    _ = bench.commands()
    #expect(bench.fail(0))
    #expect(bench.finish(1) == .wanted)
    bench.queue.renew(0, at: bench.clock.now)
    bench.queue.renew(1, at: bench.clock.now)
    #expect(bench.commands() == ["+0", "+1"])
    #expect(bench.fail(0))
    #expect(bench.pause == .seconds(1))
  }

  @Test func `failed loads are requested at once when their source is back`() {
    let bench = Bench()
    bench.look(one, 0..<2, leading: 2..<3)
    _ = bench.commands()
    for _ in 0..<4 {
      for item in 0..<3 { _ = bench.fail(item) }
      _ = bench.commands(after: 8_000)
    }
    for item in 0..<3 { #expect(bench.fail(item)) }
    bench.look(one, 0..<2)
    #expect(bench.pause == .seconds(16))
    bench.queue.retryFailed(at: bench.clock.now)
    #expect(bench.pause == .zero)
    #expect(bench.commands() == ["+0", "+1"], "not those that no session wants")
    #expect(bench.fail(0))
    #expect(bench.pause == .seconds(1), "the pauses begin again")
  }

  // MARK: Clocks

  @Test func `a clock that goes back does not lengthen a pause`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    _ = bench.commands()
    #expect(bench.fail(0))
    #expect(bench.commands(after: 600) == [])
    #expect(bench.commands(after: -3_600_000) == [])
    #expect(bench.pause == .milliseconds(400))
    #expect(bench.commands(after: 400) == ["+0"])
  }

  @Test func `a cancel is not lost while the clock stands still`() {
    let bench = Bench()
    bench.look(one, 0..<1)
    #expect(bench.commands() == ["+0"])
    bench.queue.leave(one, at: bench.clock.now)
    for _ in 0..<10 { #expect(bench.commands() == []) }
    #expect(bench.commands(after: 250) == ["-0"])
  }

  // MARK: Everything at once

  /// Many sessions at random, with an unpredictable source.
  ///
  /// The queue checks its invariants after every step.
  @Test func `random use never loads twice or exceeds the limit in flight`() {
    for seed in 1...15 {
      var random = SeededGenerator(seed: UInt64(seed))
      let bench = Bench(
        PrefetchPolicy(inFlight: random.number(1...4), prefersToFinish: random.oneIn(3), patience: .seconds(9)))
      var requested: Set<Int> = []
      for _ in 0..<300 {
        let holder = SessionID(rawValue: UInt64(random.number(1...3)))
        switch random.number(1...8) {
        case 1...3:
          let first = random.number(0...20)
          bench.look(
            holder, first..<first + 3, leading: first + 3..<first + 6, trailing: max(0, first - 2)..<first,
            isTravellingUp: random.oneIn(2))
        case 4: bench.queue.leave(holder, at: bench.clock.now)
        case 5:
          if let item = requested.sorted().randomElement(using: &random) {
            _ = bench.finish(item); requested.remove(item)
          }
        case 6:
          if let item = requested.sorted().randomElement(using: &random) {
            _ = bench.fail(item); requested.remove(item)
          }
        case 7: bench.queue.drop(random.number(0...25), at: bench.clock.now)
        default: bench.queue.renew(random.number(0...25), at: bench.clock.now)
        }
        bench.clock.advance(by: .milliseconds(random.pick([-50, 0, 10, 300, 3000])))
        let commands = bench.queue.advance(to: bench.clock.now)
        for item in commands.cancels {
          #expect(requested.remove(item) != nil, "seed \(seed): \(item) was not in flight")
        }
        for item in commands.loads {
          #expect(requested.insert(item).inserted, "seed \(seed): \(item) is asked for twice")
        }
        #expect(requested.count == bench.queue.counters.inFlight, "seed \(seed)")
        #expect(requested.count <= bench.queue.policy.inFlight, "seed \(seed)")
      }
    }
  }
}
