import ListEngine

/// A state machine that keeps one child process running.
///
/// It starts, watches and ends the process and restarts it without limit, with at most one process
/// at a time. It is a value without a clock, a process or a thread. Inputs carry the current time,
/// and the results are commands for the caller:
///
///     var supervisor = Supervisor(policy, seed: 7)
///     perform(supervisor.handle(.start, at: now))          // [.spawn, ...]
///     perform(supervisor.handle(.spawned, at: now))
///     perform(supervisor.handle(.exited(.code(1)), at: now))
///     perform(supervisor.advance(to: now))                 // at supervisor.deadline
package struct Supervisor {
  /// The way in which a process has ended.
  package enum Exit: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// An event that the supervisor reacts to.
  package enum Input: Hashable, Sendable {
    /// The source starts, or the user enables it again.
    case start
    /// The process was started.
    case spawned
    /// The process failed to start, for this reason.
    case notSpawned(String)
    /// The process has written something.
    case received
    /// The process supports health checks.
    case answersHealth
    /// The rows are complete enough to be shown as live.
    case ready
    /// The process reported its own state.
    case reported(SourceState, message: String)
    /// A line was malformed.
    case badLine(String)
    /// A row was rejected before the process had a table.
    case badRow(String)
    /// The host holds the output back or no longer does; meanwhile the process may be silent.
    case heldBack(Bool)
    /// The process was stopped by a signal, or continues.
    case stopped(Bool)
    /// The process exceeded a limit, for this reason.
    case exceeded(String)
    /// The process is unusable, and a restart would not help.
    case refused(String)
    /// The process has ended and was not reaped yet.
    case exited(Exit)
    /// The whole output was read.
    case drained
    /// The user requests an immediate restart.
    case retry
    /// The server shuts down.
    case stop
  }

  /// A command for the caller to carry out.
  package enum Command: Hashable, Sendable {
    /// Start the process.
    case spawn
    /// Close the process's standard input, as the first request to end.
    case closeInput
    /// Send SIGTERM to the whole group.
    case terminate
    /// Send SIGKILL to the whole group.
    case kill
    /// Kill the rest of the group of the ended process, then reap the process.
    case reap
    /// Stop reading as soon as the pipe is empty.
    case cutOff
    /// Send a health check.
    case requestHealth
    /// Report the state of the source.
    ///
    /// `retry`: the time until the next attempt.
    case report(SourceState, String, retry: Duration?)
    /// Nothing more happens until the next start.
    case rest
  }

  /// The reason for ending the process.
  private enum Cause: Equatable {
    case fault(String)
    case refused(String)
    case stopping
  }

  private enum EndingStep { case inputClosed, terminated, killed }

  private enum Phase {
    case resting
    case spawning
    case running
    case ending(Cause, EndingStep)
    case backingOff(until: Instant, reason: String)
  }

  let policy: SupervisionPolicy
  /// The time at which ``advance(to:)`` must be called, or `nil`.
  package private(set) var deadline: Instant?
  /// Whether the supervisor rests and does not restart the process by itself.
  var isResting: Bool { if case .resting = phase { true } else { false } }

  private var phase = Phase.resting
  private var random: UInt64
  /// The number of consecutive failures without recovery.
  private var failures = 0
  private var ends: [Instant] = []
  private var badLines: [Instant] = []
  /// The reason for the last malformed line or rejected row.
  private var lastBadLine: String?
  /// Whether any process was live.
  ///
  /// Until then no table exists on which to show a malformed line.
  private var hasEverBeenLive = false
  // State of the current process.
  private var exit: Exit?
  private var isDrained = false
  private var isLive = false
  private var hasReceivedAnything = false
  private var liveSince: Instant?
  private var answersHealth = false
  private var isHeldBack = false
  private var stoppedSince: Instant?
  /// The time since which the output is closed although the process lives.
  private var silencedSince: Instant?
  private var receivedAt = Instant.zero
  private var healthRequestedAt: Instant?
  /// The deadline of the current ending step, or of reading the remaining output.
  private var stepEnds: Instant?

  /// Creates a resting supervisor.
  ///
  /// Equal seeds produce equal delays.
  package init(_ policy: SupervisionPolicy = SupervisionPolicy(), seed: UInt64) {
    self.policy = policy
    random = seed
  }

  // MARK: Events

  /// Processes an input and returns the commands to carry out.
  package mutating func handle(_ input: Input, at now: Instant) -> [Command] {
    var commands: [Command] = []
    switch input {
    case .start:
      guard isResting else { break }
      failures = 0
      spawn(&commands)
    case .retry:
      switch phase {
      case .backingOff, .resting: spawn(&commands)
      default: break
      }
    case .spawned:
      receivedAt = now
      // The source may have been stopped during the start.
      if case .ending(let cause, _) = phase { beginEnding(cause, at: now, &commands) } else { phase = .running }
    case .notSpawned(let reason):
      isDrained = true
      leave(reason, at: now, &commands)
    case .exited(let exit):
      guard self.exit == nil else { break }
      self.exit = exit
      commands.append(.reap)
      if !isDrained { stepEnds = now.advanced(by: policy.drainGrace) }
      if case .running = phase, !isComplete, !isDrained { commands.append(.report(.stale, words(exit), retry: nil)) }
      leaveIfGone(at: now, &commands)
    case .drained:
      isDrained = true
      if exit == nil { silencedSince = silencedSince ?? now }
      leaveIfGone(at: now, &commands)
    case .stop: end(.stopping, at: now, &commands)
    case .refused(let reason): end(.refused(reason), at: now, &commands)
    case .exceeded(let reason):
      if case .running = phase { end(.fault(reason), at: now, &commands) }
    case .received, .answersHealth, .ready, .reported, .badLine, .badRow, .heldBack, .stopped:
      noteLife(input, at: now, &commands)
    }
    setDeadline()
    return commands
  }

  /// Processes an input from a running child.
  private mutating func noteLife(_ input: Input, at now: Instant, _ commands: inout [Command]) {
    switch input {
    case .received:
      receivedAt = now
      healthRequestedAt = nil
      hasReceivedAnything = true
      if exit != nil { stepEnds = now.advanced(by: policy.drainGrace) }
    case .answersHealth: answersHealth = true
    case .ready where exit == nil && !isLive:
      isLive = true
      hasEverBeenLive = true
      liveSince = now
      if case .running = phase { commands.append(.report(.live, "", retry: nil)) }
    case .reported(let state, let message):
      isLive = state == .live
      liveSince = isLive ? liveSince ?? now : liveSince
      if case .running = phase, exit == nil { commands.append(.report(state, message, retry: nil)) }
    case .badLine(let reason):
      guard case .running = phase else { break }
      noteUnshown(reason, &commands)
      badLines.removeAll { $0.duration(to: now) >= policy.badLineSpan }
      badLines.append(now)
      guard badLines.count >= policy.badLines else { break }
      end(.fault("\(badLines.count) lines were not readable; the last one: \(reason)"), at: now, &commands)
    case .badRow(let reason):
      guard case .running = phase else { break }
      noteUnshown(reason, &commands)
    case .heldBack(let isHeld) where isHeld != isHeldBack:
      isHeldBack = isHeld
      receivedAt = now
      healthRequestedAt = nil
      if exit != nil { stepEnds = now.advanced(by: policy.drainGrace) }
    case .stopped(let isStopped):
      stoppedSince = isStopped ? stoppedSince ?? now : nil
    default: break
    }
  }

  /// Records something that has no row to be shown on.
  ///
  /// Before the first rows it is reported as a state.
  private mutating func noteUnshown(_ reason: String, _ commands: inout [Command]) {
    lastBadLine = reason
    if exit == nil, !hasEverBeenLive { commands.append(.report(.starting, reason, retry: nil)) }
  }

  /// Carries out what is due at `now`.
  package mutating func advance(to now: Instant) -> [Command] {
    var commands: [Command] = []
    switch phase {
    case .backingOff(let until, _) where until <= now: spawn(&commands)
    case .running: watch(at: now, &commands)
    case .ending(let cause, let step) where exit == nil:
      if let stepEnds, stepEnds <= now { goOn(cause, after: step, at: now, &commands) }
    default: break
    }
    if exit != nil, !isDrained, !isHeldBack, let stepEnds, stepEnds <= now {
      // A process that left the group holds the pipe open.
      commands.append(.cutOff)
      self.stepEnds = nil
    }
    setDeadline()
    return commands
  }

  /// Ends the process if it is stopped, silent, or fails its health check.
  private mutating func watch(at now: Instant, _ commands: inout [Command]) {
    guard exit == nil else { return }
    if let stoppedSince, stoppedSince.duration(to: now) >= policy.patience {
      return end(.fault("it was stopped by a signal"), at: now, &commands)
    }
    // A process normally exits soon after closing its output. One that does not will never send
    // anything again.
    if let silencedSince, silencedSince.duration(to: now) >= policy.patience {
      return end(.fault("it has closed its output, and goes on"), at: now, &commands)
    }
    guard answersHealth, !isHeldBack else { return }
    if let healthRequestedAt {
      guard healthRequestedAt.duration(to: now) >= policy.patience else { return }
      end(
        .fault("it has not answered for \(receivedAt.duration(to: now).components.seconds) seconds"), at: now, &commands
      )
    } else if receivedAt.duration(to: now) >= policy.heartbeat {
      healthRequestedAt = now
      commands.append(.requestHealth)
    }
  }

  // MARK: Starting

  private mutating func spawn(_ commands: inout [Command]) {
    phase = .spawning
    exit = nil
    isDrained = false
    isLive = false
    liveSince = nil
    hasReceivedAnything = false
    answersHealth = false
    isHeldBack = false
    stoppedSince = nil
    silencedSince = nil
    healthRequestedAt = nil
    stepEnds = nil
    badLines = []
    lastBadLine = nil
    commands.append(.spawn)
  }

  // MARK: Ending

  private mutating func end(_ cause: Cause, at now: Instant, _ commands: inout [Command]) {
    switch phase {
    case .resting:
      if cause == .stopping { commands.append(.rest) }
    case .backingOff:
      phase = .resting
      reportRest(cause, &commands)
    case .spawning: phase = .ending(cause, .inputClosed)  // continues in `.spawned`
    case .running: beginEnding(cause, at: now, &commands)
    case .ending(let before, let step):
      // The strongest cause wins. An ending in progress continues, and is shortened by a shutdown.
      guard before != .stopping, cause == .stopping else { return }
      phase = .ending(cause, step)
      guard exit == nil, step == .terminated, let stepEnds else { return }
      self.stepEnds = min(stepEnds, now.advanced(by: policy.lastGrace))
    }
  }

  private mutating func beginEnding(_ cause: Cause, at now: Instant, _ commands: inout [Command]) {
    if case .fault(let reason) = cause { commands.append(.report(.stale, reason, retry: nil)) }
    phase = .ending(cause, .inputClosed)
    guard exit == nil else { return }
    commands.append(.closeInput)
    switch cause {
    case .fault:
      // An unresponsive process would not notice a closed input, so SIGTERM follows at once.
      phase = .ending(cause, .terminated)
      commands.append(.terminate)
      stepEnds = now.advanced(by: policy.terminationGrace)
    default: stepEnds = now.advanced(by: policy.inputGrace)
    }
  }

  private mutating func goOn(_ cause: Cause, after step: EndingStep, at now: Instant, _ commands: inout [Command]) {
    switch step {
    case .inputClosed:
      phase = .ending(cause, .terminated)
      commands.append(.terminate)
      stepEnds = now.advanced(by: cause == .stopping ? policy.lastGrace : policy.terminationGrace)
    case .terminated:
      phase = .ending(cause, .killed)
      commands.append(.kill)
      stepEnds = nil  // no process survives SIGKILL
    case .killed: stepEnds = nil
    }
  }

  private mutating func leaveIfGone(at now: Instant, _ commands: inout [Command]) {
    guard let exit, isDrained else { return }
    let unread = liveSince == nil ? lastBadLine.map { "; its output was not understood: \($0)" } : nil
    leave(words(exit) + (unread ?? ""), at: now, &commands)
  }

  /// Rests or schedules the next attempt, because the process is gone.
  private mutating func leave(_ reason: String, at now: Instant, _ commands: inout [Command]) {
    stepEnds = nil
    switch phase {
    case .ending(.fault(let fault), _): backOff(fault, at: now, &commands)
    case .ending(let cause, _):
      phase = .resting
      reportRest(cause, &commands)
    case .running where isComplete:
      phase = .resting
      commands.append(contentsOf: [.report(.live, "Complete", retry: nil), .rest])
    default: backOff(reason, at: now, &commands)
    }
  }

  /// Whether the process exited with 0 after writing its complete list.
  ///
  /// A process that wrote malformed lines and no valid rows is not complete.
  private var isComplete: Bool {
    exit == .code(0) && hasReceivedAnything && (liveSince != nil || lastBadLine == nil)
  }

  private func reportRest(_ cause: Cause, _ commands: inout [Command]) {
    switch cause {
    case .refused(let reason): commands.append(.report(.failed, reason, retry: nil))
    case .stopping, .fault: break
    }
    commands.append(.rest)
  }

  private mutating func backOff(_ reason: String, at now: Instant, _ commands: inout [Command]) {
    if let liveSince, liveSince.duration(to: now) >= policy.recovery { failures = 0 }
    ends.removeAll { $0.duration(to: now) >= policy.countedSpan }
    ends.append(now)
    let pause = drawPause()
    failures += 1
    let span = policy.countedSpan == .seconds(60) ? "minute" : "\(policy.countedSpan.components.seconds) s"
    let counted = ends.count > 1 ? ", \(ends.count) restarts in the last \(span)" : ""
    phase = .backingOff(until: now.advanced(by: pause), reason: reason)
    commands.append(.report(.backingOff, reason + counted, retry: pause))
  }

  /// Draws the next delay.
  ///
  /// Half of it is random, so that sources that failed together do not restart together.
  private mutating func drawPause() -> Duration {
    let doubled = policy.shortestPause * Double(2 << min(failures, 20))
    let longest = min(doubled, policy.longestPause)
    // [splitmix64](https://prng.di.unimi.it/splitmix64.c)
    random &+= 0x9E37_79B9_7F4A_7C15
    var bits = (random ^ (random >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return longest / 2 + longest / 2 * (Double(bits >> 11) / 0x1p53)
  }

  private func words(_ exit: Exit) -> String {
    switch exit {
    case .code(let code): "exited with code \(code)"
    case .signal(let signal): "killed by signal \(signal)"
    }
  }

  // MARK: Time

  private mutating func setDeadline() {
    switch phase {
    case .resting, .spawning: deadline = nil
    case .backingOff(let until, _): deadline = until
    // Output held back by the host is read later, however long that takes.
    case .running where exit != nil, .ending where exit != nil: deadline = isHeldBack ? nil : stepEnds
    case .ending: deadline = stepEnds
    case .running:
      deadline = [stoppedSince, silencedSince].compactMap { $0?.advanced(by: policy.patience) }.min()
      guard answersHealth, !isHeldBack else { return }
      let health = healthRequestedAt?.advanced(by: policy.patience) ?? receivedAt.advanced(by: policy.heartbeat)
      deadline = min(deadline ?? health, health)
    }
  }
}
