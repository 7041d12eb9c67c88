import ListEngine
import Testing

@testable import ProcessSource

/// The supervisor of one child process under a manual clock.
@Suite struct SupervisorTests {
  private typealias Command = Supervisor.Command

  /// A supervisor and its clock.
  private struct Harness {
    var supervisor: Supervisor
    var now = Instant.zero

    init(_ seed: UInt64 = 1, _ change: (inout SupervisionPolicy) -> Void = { _ in }) {
      var policy = SupervisionPolicy()
      change(&policy)
      supervisor = Supervisor(policy, seed: seed)
    }

    @discardableResult mutating func send(_ inputs: Supervisor.Input...) -> [Command] {
      inputs.flatMap { supervisor.handle($0, at: now) }
    }

    /// Advances the clock from deadline to deadline and returns the commands with their times in
    /// milliseconds.
    mutating func pass(_ time: Duration) -> [(Int64, Command)] {
      let end = now.advanced(by: time)
      var done: [(Int64, Command)] = []
      while let deadline = supervisor.deadline, deadline <= end {
        now = max(now, deadline)
        let before = supervisor.deadline
        let commands = supervisor.advance(to: now)
        done += commands.map { (now.nanoseconds / 1_000_000, $0) }
        if commands.isEmpty, supervisor.deadline == before { break }
      }
      now = end
      return done
    }

    /// Starts a child and makes it live.
    mutating func beLive() { send(.start, .spawned, .received, .ready) }
  }

  private func pause(_ commands: [Command]) -> Duration? {
    for case .report(.backingOff, _, let retry) in commands { return retry }
    return nil
  }

  // MARK: Starting

  @Test func `spawns once and reports live when rows are ready`() {
    var harness = Harness()
    #expect(harness.send(.start) == [.spawn])
    #expect(harness.send(.start) == [])
    #expect(harness.send(.spawned) == [])
    #expect(harness.send(.received) == [])
    #expect(harness.send(.ready) == [.report(.live, "", retry: nil)])
    #expect(harness.send(.ready) == [])
    #expect(harness.supervisor.deadline == nil)
  }

  @Test func `spawns again after a pause when a spawn fails`() {
    var harness = Harness()
    harness.send(.start)
    let commands = harness.send(.notSpawned("there is no program"))
    #expect(commands.count == 1)
    guard case .report(.backingOff, "there is no program", let retry?) = commands.first else {
      Issue.record("\(commands)")
      return
    }
    #expect(harness.supervisor.deadline == harness.now.advanced(by: retry))
    #expect(harness.pass(retry - .nanoseconds(1)).isEmpty)
    #expect(harness.pass(.nanoseconds(1)).map(\.1) == [.spawn])
  }

  @Test func `reports bad lines only before the first rows`() {
    var harness = Harness()
    harness.send(.start, .spawned, .received)
    #expect(harness.send(.badLine("line 1: no JSON")) == [.report(.starting, "line 1: no JSON", retry: nil)])
    harness.send(.ready)
    #expect(harness.send(.badLine("line 3")) == [])
    // Not reported for the next process either, because the rows of the first one are still there.
    let pause = pause(harness.send(.exited(.code(1)), .drained))!
    _ = harness.pass(pause)
    harness.send(.spawned, .received)
    #expect(harness.send(.badLine("line 1")) == [])
  }

  @Test func `reports bad rows until live, without ending the process`() {
    var harness = Harness()
    harness.send(.start, .spawned, .received)
    for number in 1...20 {
      let reason = "line \(number): it has no “id”"
      #expect(harness.send(.badRow(reason)) == [.report(.starting, reason, retry: nil)])
    }
    #expect(harness.send(.ready) == [.report(.live, "", retry: nil)])
    #expect(harness.send(.badRow("line 21")) == [])
    var ended = Harness()
    ended.send(.start, .spawned, .received, .badRow("line 1: it has no “id”"))
    guard case .report(.backingOff, let message, _)? = ended.send(.exited(.code(0)), .drained).last else {
      Issue.record("its list is taken for complete")
      return
    }
    #expect(message == "exited with code 0; its output was not understood: line 1: it has no “id”")
  }

  @Test func `restarts a process that exits 0 with only unreadable output`() {
    var harness = Harness()
    harness.send(.start, .spawned, .received, .badLine("line 1: no JSON"))
    let commands = harness.send(.exited(.code(0)), .drained)
    #expect(pause(commands) != nil)
    guard case .report(.backingOff, let message, _)? = commands.last else {
      Issue.record("\(commands)")
      return
    }
    #expect(message == "exited with code 0; its output was not understood: line 1: no JSON")
    // With rows in addition to the malformed line, the list is complete. Malformed lines of an
    // earlier process do not count.
    _ = harness.pass(.seconds(2))
    harness.send(.spawned, .received, .badLine("line 1: no JSON"), .ready)
    #expect(harness.send(.exited(.code(0)), .drained).last == .rest)
    var empty = Harness()
    empty.send(.start, .spawned, .received)
    #expect(empty.send(.exited(.code(0)), .drained).last == .rest)
  }

  @Test func `ends a process five seconds after it closes its output`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.drained)
    #expect(harness.pass(.milliseconds(4_999)).isEmpty)
    let done = harness.pass(.milliseconds(1))
    #expect(
      done.map(\.1) == [.report(.stale, "it has closed its output, and goes on", retry: nil), .closeInput, .terminate])
    #expect(pause(harness.send(.exited(.signal(15)))) != nil)
    // The next process has its own timeout.
    _ = harness.pass(.seconds(2))
    harness.send(.spawned, .received, .ready)
    #expect(harness.pass(.seconds(60)).isEmpty)
  }

  // MARK: Back-off

  @Test func `pauses double up to 30 seconds and depend on the seed`() {
    for seed in 0..<200 as Range<UInt64> {
      var harness = Harness(seed)
      harness.send(.start)
      for attempt in 0..<12 {
        let pause = pause(harness.send(.spawned, .exited(.code(1)), .drained))!
        let longest = min(Duration.milliseconds(1_000) * (1 << attempt), .seconds(30))
        #expect(pause >= longest / 2 && pause <= longest, "seed \(seed), attempt \(attempt): \(pause)")
        #expect(harness.pass(pause).map(\.1) == [.spawn])
      }
    }
    func first(_ seed: UInt64) -> Duration? {
      var harness = Harness(seed)
      harness.send(.start)
      return pause(harness.send(.spawned, .exited(.code(1)), .drained))
    }
    #expect(Set((0..<100).map { first($0) }).count > 90)
    #expect(first(7) == first(7))
  }

  @Test func `pauses are short again after ten seconds of being live`() {
    func pauseAfter(_ life: Duration) -> Duration {
      var harness = Harness()
      harness.send(.start)
      for _ in 0..<8 {
        let pause = pause(harness.send(.spawned, .exited(.code(1)), .drained))!
        _ = harness.pass(pause)
      }
      harness.send(.spawned, .ready)
      _ = harness.pass(life)
      return pause(harness.send(.exited(.code(1)), .drained))!
    }
    #expect(pauseAfter(.seconds(10)) <= .seconds(1))
    #expect(pauseAfter(.seconds(10) - .nanoseconds(1)) >= .seconds(15))
  }

  @Test func `restarts after each of 1,000 crashes`() {
    var harness = Harness()
    harness.send(.start)
    for _ in 0..<1_000 {
      let pause = pause(harness.send(.spawned, .exited(.signal(11)), .drained))
      #expect(harness.pass(pause!).map(\.1) == [.spawn])
    }
  }

  @Test func `reports the number of restarts in the last minute`() {
    var harness = Harness()
    harness.send(.start)
    var said: [String] = []
    for _ in 0..<3 {
      for case .report(.backingOff, let message, let retry?) in harness.send(.spawned, .exited(.code(3)), .drained) {
        said.append(message)
        _ = harness.pass(retry)
      }
    }
    #expect(
      said == [
        "exited with code 3", "exited with code 3, 2 restarts in the last minute",
        "exited with code 3, 3 restarts in the last minute",
      ])
    harness.send(.spawned)
    _ = harness.pass(.seconds(60))
    for case .report(.backingOff, let message, _) in harness.send(.exited(.signal(9)), .drained) {
      said.append(message)
    }
    #expect(said.last == "killed by signal 9")
  }

  @Test func `a retry command spawns at once, and only once`() {
    var harness = Harness()
    harness.send(.start, .spawned, .exited(.code(1)), .drained)
    #expect(harness.send(.retry) == [.spawn])
    #expect(harness.send(.retry) == [])
  }

  // MARK: Ending

  @Test func `reports an exit at once and backs off when output is drained`() {
    var harness = Harness()
    harness.beLive()
    #expect(
      harness.send(.exited(.signal(9))) == [.reap, .report(.stale, "killed by signal 9", retry: nil)])
    #expect(harness.send(.exited(.signal(9))) == [])
    let commands = harness.send(.drained)
    #expect(pause(commands) != nil && commands.count == 1)
  }

  @Test func `never spawns before the last process is reaped and drained`() {
    // Random event sequences: between two spawns the process is always reaped and its output fully
    // read.
    for seed in 0..<500 as Range<UInt64> {
      var harness = Harness(seed)
      var random = seed
      var isThere = false
      var isReading = false
      var spawns = 0
      func note(_ commands: [Command]) {
        for command in commands {
          if command == .spawn {
            #expect(!isThere && !isReading, "seed \(seed)")
            spawns += 1
          }
          if command == .reap { isThere = false }
        }
      }
      note(harness.send(.start))
      for _ in 0..<60 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        if spawns > 0, !isThere, !isReading, !harness.supervisor.isResting, harness.supervisor.deadline == nil {
          (isThere, isReading) = (true, true)
          note(harness.send(.spawned))
          continue
        }
        switch random >> 60 {
        case 0, 1: if isThere { note(harness.send(.exited(.code(1)))) }
        case 2, 3:
          if isReading, !isThere {
            isReading = false
            note(harness.send(.drained))
          }
        case 4: note(harness.send(.refused("x")))
        case 5: note(harness.send(.start))
        case 6: note(harness.send(.retry))
        case 7: note(harness.send(.badLine("x")))
        case 8: if isThere { note(harness.send(.ready)) }
        default: note(harness.pass(.seconds(3)).map(\.1))
        }
      }
    }
  }

  @Test func `reports Complete after rows and an exit with 0`() {
    var harness = Harness()
    harness.beLive()
    #expect(harness.send(.exited(.code(0))) == [.reap])
    #expect(harness.send(.drained) == [.report(.live, "Complete", retry: nil), .rest])
    #expect(harness.supervisor.isResting)
    #expect(harness.send(.start) == [.spawn])
  }

  @Test func `restarts a process that exits 0 without output`() {
    var harness = Harness()
    harness.send(.start, .spawned)
    #expect(pause(harness.send(.exited(.code(0)), .drained)) != nil)
  }

  @Test func `cuts off an exited process's pipe after a silent second`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.exited(.code(1)))
    #expect(harness.pass(.milliseconds(900)).isEmpty)
    harness.send(.received)
    #expect(harness.pass(.milliseconds(999)).isEmpty)
    #expect(harness.pass(.milliseconds(1)).map(\.1) == [.cutOff])
    #expect(pause(harness.send(.drained)) != nil)
  }

  @Test func `does not cut off a pipe while reading is held back`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.heldBack(true), .exited(.code(0)))
    #expect(harness.pass(.seconds(3_600)).isEmpty)
    harness.send(.heldBack(false))
    #expect(harness.pass(.milliseconds(999)).isEmpty)
    #expect(harness.pass(.milliseconds(1)).map(\.1) == [.cutOff])
  }

  // MARK: The watchdog

  @Test func `asks a silent process for its health, then kills it`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.answersHealth)
    let done = harness.pass(.seconds(60))
    #expect(done.map(\.0) == [2_000, 7_000, 7_000, 7_000, 9_000])
    #expect(
      done.map(\.1) == [
        .requestHealth, .report(.stale, "it has not answered for 7 seconds", retry: nil), .closeInput, .terminate,
        .kill,
      ])
    let commands = harness.send(.exited(.signal(9)), .drained)
    #expect(commands.first == .reap)
    guard case .report(.backingOff, "it has not answered for 7 seconds", _) = commands.last else {
      Issue.record("\(commands)")
      return
    }
  }

  @Test func `accepts any line as an answer to a health check`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.answersHealth)
    for _ in 0..<10 {
      #expect(harness.pass(.milliseconds(6_999)).map(\.1) == [.requestHealth])
      harness.send(.received)
    }
  }

  @Test func `does not ask a process that sends lines`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.answersHealth)
    for _ in 0..<10 {
      #expect(harness.pass(.milliseconds(1_999)).isEmpty)
      harness.send(.received)
    }
  }

  @Test func `tolerates silence without the health capability`() {
    var harness = Harness()
    harness.beLive()
    #expect(harness.pass(.seconds(3_600)).isEmpty)
  }

  @Test func `sends no health check while reading is held back`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.answersHealth, .heldBack(true))
    #expect(harness.pass(.seconds(3_600)).isEmpty)
    harness.send(.heldBack(false))
    #expect(harness.pass(.milliseconds(1_999)).isEmpty)
    #expect(harness.pass(.milliseconds(1)).map(\.1) == [.requestHealth])
  }

  @Test func `ends a process that stays stopped for five seconds`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.stopped(true))
    #expect(harness.pass(.milliseconds(4_999)).isEmpty)
    harness.send(.stopped(false))
    #expect(harness.pass(.seconds(60)).isEmpty)
    harness.send(.stopped(true))
    #expect(harness.pass(.milliseconds(4_999)).isEmpty)
    let done = harness.pass(.seconds(10)).map(\.1)
    #expect(
      done == [.report(.stale, "it was stopped by a signal", retry: nil), .closeInput, .terminate, .kill])
  }

  // MARK: Malformed lines

  @Test func `ends a process after ten bad lines within ten seconds`() {
    var harness = Harness()
    harness.beLive()
    for _ in 0..<9 { #expect(harness.send(.badLine("line 1: x")) == []) }
    let commands = harness.send(.badLine("line 10: y"))
    #expect(
      commands == [
        .report(.stale, "10 lines were not readable; the last one: line 10: y", retry: nil), .closeInput, .terminate,
      ])
    #expect(harness.send(.badLine("line 11: z")) == [])
  }

  @Test func `bad lines of an ended process do not count for the next`() {
    var harness = Harness()
    harness.beLive()
    for _ in 0..<9 { harness.send(.badLine("x")) }
    harness.send(.exited(.code(1)), .badLine("x"), .badLine("x"), .drained)
    harness.send(.retry, .spawned)
    #expect(harness.send(.badLine("x")) == [])
  }

  @Test func `counts bad lines of the last ten seconds only`() {
    var harness = Harness()
    harness.beLive()
    for _ in 0..<9 { harness.send(.badLine("x")) }
    _ = harness.pass(.seconds(10))
    #expect(harness.send(.badLine("x")) == [])
    var other = Harness()
    other.beLive()
    for _ in 0..<9 { other.send(.badLine("x")) }
    _ = other.pass(.seconds(10) - .nanoseconds(1))
    #expect(other.send(.badLine("x")).contains(.terminate))
  }

  // MARK: User commands

  @Test func `stop closes the input, then terminates, then kills`() {
    var harness = Harness()
    harness.beLive()
    #expect(harness.send(.stop) == [.closeInput])
    let done = harness.pass(.seconds(60))
    #expect(done.map(\.0) == [250, 750])
    #expect(done.map(\.1) == [.terminate, .kill])
    #expect(harness.send(.exited(.signal(9)), .drained) == [.reap, .rest])
    #expect(harness.supervisor.isResting)
  }

  @Test func `stop does not kill a process that exits`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.stop)
    #expect(harness.send(.exited(.code(0)), .drained) == [.reap, .rest])
    #expect(harness.pass(.seconds(60)).isEmpty)
  }

  @Test func `stop during a pause cancels the restart`() {
    var harness = Harness()
    harness.send(.start, .spawned, .exited(.code(1)), .drained)
    #expect(harness.send(.stop) == [.rest])
    #expect(harness.supervisor.deadline == nil)
    #expect(harness.send(.stop) == [.rest])
  }

  @Test func `stop shortens the grace of a process that is ending`() {
    var harness = Harness()
    harness.beLive()
    harness.send(.refused("x"))
    _ = harness.pass(.milliseconds(300))
    harness.send(.stop)
    #expect(harness.pass(.milliseconds(499)).isEmpty)
    #expect(harness.pass(.milliseconds(1)).map(\.1) == [.kill])
  }

  @Test func `stop during a spawn ends the process once it runs`() {
    var harness = Harness()
    harness.send(.start)
    #expect(harness.send(.stop) == [])
    #expect(harness.send(.spawned) == [.closeInput])
    var other = Harness()
    other.send(.start)
    other.send(.stop)
    #expect(other.send(.notSpawned("x")) == [.rest])
  }

  @Test func `a refusal prevents restarts until a retry command`() {
    var harness = Harness()
    harness.send(.start, .spawned, .received)
    #expect(harness.send(.refused("market.rows: -1 is less than 0")) == [.closeInput])
    #expect(
      harness.send(.exited(.code(1)), .drained) == [
        .reap, .report(.failed, "market.rows: -1 is less than 0", retry: nil), .rest,
      ])
    #expect(harness.pass(.seconds(3_600)).isEmpty)
    #expect(harness.send(.retry) == [.spawn])
  }

  @Test func `reports the states that the process sends`() {
    var harness = Harness()
    harness.beLive()
    #expect(
      harness.send(.reported(.stale, message: "no network")) == [.report(.stale, "no network", retry: nil)])
    #expect(harness.send(.reported(.live, message: "")) == [.report(.live, "", retry: nil)])
  }

  @Test func `tolerates a clock that goes back`() {
    var harness = Harness()
    harness.now = Instant(nanoseconds: 1_000_000_000_000)
    harness.beLive()
    harness.send(.answersHealth)
    #expect(harness.supervisor.advance(to: .zero) == [])
    #expect(harness.pass(.seconds(2)).map(\.1) == [.requestHealth])
  }
}
