import ListEngine

/// Keeps one child process running: starts it, watches it, ends it, and tries again, for ever and never twice at once.
///
/// It is a value without a clock, a process or a thread. What happens is told to it with the moment; it answers with what is to be
/// done, and says when it wants to be asked again:
///
///     var supervisor = Supervisor(policy, seed: 7)
///     perform(supervisor.handle(.start, at: now))          // [.spawn, ...]
///     perform(supervisor.handle(.spawned, at: now))
///     perform(supervisor.handle(.exited(.code(1)), at: now))
///     perform(supervisor.advance(to: now))                 // at supervisor.deadline
struct Supervisor {
  /// How a process has ended.
  enum Exit: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// What happens.
  enum Input: Hashable, Sendable {
    /// The source begins, or its user enables it again.
    case start
    /// The process is there.
    case spawned
    /// There is no process, and why.
    case notSpawned(String)
    /// It said something, whatever it was.
    case heard
    /// It can answer when it is asked whether it is well.
    case answersHealth
    /// Its rows can be shown as true.
    case ready
    /// It said itself how it is.
    case said(SourceState, message: String)
    /// A line could not be read.
    case badLine(String)
    /// A row could not be taken, and it has no table yet.
    case badRow(String)
    /// What it says waits for us, or no more: as long as it does, its silence is our doing.
    case heldBack(Bool)
    /// It was stopped by a signal, or goes on.
    case stopped(Bool)
    /// It takes more than it may, and why.
    case exceeded(String)
    /// It cannot be used as it is, and a second try would change nothing.
    case refused(String)
    /// It has ended, and has not been waited for.
    case exited(Exit)
    /// All that it had written was read.
    case drained
    /// Its user does not want it for now.
    case disable
    /// Its user does not want to wait for the next try.
    case retry
    /// The server ends.
    case stop
  }

  /// What is to be done.
  enum Command: Hashable, Sendable {
    /// Start the process.
    case spawn
    /// Close its standard input: the politest way to say that it is over.
    case closeInput
    /// SIGTERM to the whole group.
    case terminate
    /// SIGKILL to the whole group.
    case kill
    /// The process has ended: kill what is left of its group, then wait for it.
    case reap
    /// Read no further than what is there.
    case cutOff
    /// Ask it whether it is well.
    case askHealth
    /// Tell how the source is. `retry`: how long it is until the next try.
    case report(SourceState, String, retry: Duration?)
    /// Nothing more will happen until it is started.
    case rest
  }

  /// Why it is being ended.
  private enum Cause: Equatable {
    case fault(String)
    case refused(String)
    case disabled
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
  /// When ``advance(to:)`` has something to do.
  private(set) var deadline: Instant?
  /// Whether it rests and will not be started by itself.
  var isResting: Bool { if case .resting = phase { true } else { false } }

  private var phase = Phase.resting
  private var random: UInt64
  /// How often in a row it has failed without having recovered.
  private var failures = 0
  private var ends: [Instant] = []
  private var badLines: [Instant] = []
  /// Why the last of them could not be read.
  private var lastBadLine: String?
  /// Whether any of its processes has had rows to show: until then there is nothing on which a bad line could be shown.
  private var hasEverBeenLive = false
  // Of the process that is there.
  private var exit: Exit?
  private var isDrained = false
  private var isLive = false
  private var hasSaidAnything = false
  private var liveSince: Instant?
  private var answersHealth = false
  private var isHeldBack = false
  private var stoppedSince: Instant?
  /// Since when it can say nothing more, though it lives.
  private var silencedSince: Instant?
  private var heardAt = Instant.zero
  private var askedAt: Instant?
  /// When the step of an ending, or the reading of what is left, is over.
  private var stepEnds: Instant?

  /// One that rests. Equal seeds draw equal pauses.
  init(_ policy: SupervisionPolicy = SupervisionPolicy(), seed: UInt64) {
    self.policy = policy
    random = seed
  }

  // MARK: What happens

  /// Takes in what has happened, and answers what is to be done.
  mutating func handle(_ input: Input, at now: Instant) -> [Command] {
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
      heardAt = now
      // Asked to end while it was being started.
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
    case .disable: end(.disabled, at: now, &commands)
    case .stop: end(.stopping, at: now, &commands)
    case .refused(let reason): end(.refused(reason), at: now, &commands)
    case .exceeded(let reason):
      if case .running = phase { end(.fault(reason), at: now, &commands) }
    case .heard, .answersHealth, .ready, .said, .badLine, .badRow, .heldBack, .stopped:
      noteLife(input, at: now, &commands)
    }
    setDeadline()
    return commands
  }

  /// What a running child says and does.
  private mutating func noteLife(_ input: Input, at now: Instant, _ commands: inout [Command]) {
    switch input {
    case .heard:
      heardAt = now
      askedAt = nil
      hasSaidAnything = true
      if exit != nil { stepEnds = now.advanced(by: policy.drainGrace) }
    case .answersHealth: answersHealth = true
    case .ready where exit == nil && !isLive:
      isLive = true
      hasEverBeenLive = true
      liveSince = now
      if case .running = phase { commands.append(.report(.live, "", retry: nil)) }
    case .said(let state, let message):
      isLive = state == .live
      liveSince = isLive ? liveSince ?? now : liveSince
      if case .running = phase, exit == nil { commands.append(.report(state, message, retry: nil)) }
    case .badLine(let reason):
      guard case .running = phase else { break }
      noteUnshown(reason, &commands)
      badLines.removeAll { $0.duration(to: now) >= policy.badLineSpan }
      badLines.append(now)
      guard badLines.count >= policy.badLines else { break }
      end(.fault("\(badLines.count) lines could not be read; the last one: \(reason)"), at: now, &commands)
    case .badRow(let reason):
      guard case .running = phase else { break }
      noteUnshown(reason, &commands)
    case .heldBack(let isHeld) where isHeld != isHeldBack:
      isHeldBack = isHeld
      heardAt = now
      askedAt = nil
      if exit != nil { stepEnds = now.advanced(by: policy.drainGrace) }
    case .stopped(let isStopped):
      stoppedSince = isStopped ? stoppedSince ?? now : nil
    default: break
    }
  }

  /// Something of what it says cannot be shown, and as long as it has no rows only its state can say so.
  private mutating func noteUnshown(_ reason: String, _ commands: inout [Command]) {
    lastBadLine = reason
    if exit == nil, !hasEverBeenLive { commands.append(.report(.starting, reason, retry: nil)) }
  }

  /// Does what is due.
  mutating func advance(to now: Instant) -> [Command] {
    var commands: [Command] = []
    switch phase {
    case .backingOff(let until, _) where until <= now: spawn(&commands)
    case .running: watch(at: now, &commands)
    case .ending(let cause, let step) where exit == nil:
      if let stepEnds, stepEnds <= now { goOn(cause, after: step, at: now, &commands) }
    default: break
    }
    if exit != nil, !isDrained, !isHeldBack, let stepEnds, stepEnds <= now {
      // Something that left the group holds the pipe open.
      commands.append(.cutOff)
      self.stepEnds = nil
    }
    setDeadline()
    return commands
  }

  /// Looks whether it is still well.
  private mutating func watch(at now: Instant, _ commands: inout [Command]) {
    guard exit == nil else { return }
    if let stoppedSince, stoppedSince.duration(to: now) >= policy.patience {
      return end(.fault("it was stopped by a signal"), at: now, &commands)
    }
    // One that ends does so soon after its last word; of one that does not nothing will ever be heard again.
    if let silencedSince, silencedSince.duration(to: now) >= policy.patience {
      return end(.fault("it has closed its output, and goes on"), at: now, &commands)
    }
    guard answersHealth, !isHeldBack else { return }
    if let askedAt {
      guard askedAt.duration(to: now) >= policy.patience else { return }
      end(.fault("it has not answered for \(heardAt.duration(to: now).components.seconds) seconds"), at: now, &commands)
    } else if heardAt.duration(to: now) >= policy.heartbeat {
      askedAt = now
      commands.append(.askHealth)
    }
  }

  // MARK: The beginning

  private mutating func spawn(_ commands: inout [Command]) {
    phase = .spawning
    exit = nil
    isDrained = false
    isLive = false
    liveSince = nil
    hasSaidAnything = false
    answersHealth = false
    isHeldBack = false
    stoppedSince = nil
    silencedSince = nil
    askedAt = nil
    stepEnds = nil
    badLines = []
    lastBadLine = nil
    commands.append(.spawn)
  }

  // MARK: The end

  private mutating func end(_ cause: Cause, at now: Instant, _ commands: inout [Command]) {
    switch phase {
    case .resting:
      if cause == .stopping { commands.append(.rest) }
      if cause == .disabled { commands.append(contentsOf: [.report(.disabled, "", retry: nil), .rest]) }
    case .backingOff:
      phase = .resting
      tellRest(cause, &commands)
    case .spawning: phase = .ending(cause, .inputClosed)  // goes on when it is there
    case .running: beginEnding(cause, at: now, &commands)
    case .ending(let before, let step):
      // The strongest wish wins; what is on its way goes on, faster when the server ends.
      guard before != .stopping, cause == .stopping || cause == .disabled else { return }
      phase = .ending(cause, step)
      guard cause == .stopping, exit == nil, step == .terminated, let stepEnds else { return }
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
      // One that does not listen has no use for a closed input.
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
      stepEnds = nil  // nothing survives it
    case .killed: stepEnds = nil
    }
  }

  private mutating func leaveIfGone(at now: Instant, _ commands: inout [Command]) {
    guard let exit, isDrained else { return }
    let unread = liveSince == nil ? lastBadLine.map { ", and could not be understood: \($0)" } : nil
    leave(words(exit) + (unread ?? ""), at: now, &commands)
  }

  /// The process is gone: rests, or waits for the next try.
  private mutating func leave(_ reason: String, at now: Instant, _ commands: inout [Command]) {
    stepEnds = nil
    switch phase {
    case .ending(.fault(let fault), _): backOff(fault, at: now, &commands)
    case .ending(let cause, _):
      phase = .resting
      tellRest(cause, &commands)
    case .running where isComplete:
      phase = .resting
      commands.append(contentsOf: [.report(.live, "Complete", retry: nil), .rest])
    default: backOff(reason, at: now, &commands)
    }
  }

  /// One that ends well after having said something has said everything; not one of whose words none could be shown, and some not be read.
  private var isComplete: Bool {
    exit == .code(0) && hasSaidAnything && (liveSince != nil || lastBadLine == nil)
  }

  private func tellRest(_ cause: Cause, _ commands: inout [Command]) {
    switch cause {
    case .refused(let reason): commands.append(.report(.failed, reason, retry: nil))
    case .disabled: commands.append(.report(.disabled, "", retry: nil))
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

  /// Half of the pause is drawn, so that sources that failed together do not come back together.
  private mutating func drawPause() -> Duration {
    let doubled = policy.shortestPause * Double(2 << min(failures, 20))
    let longest = min(doubled, policy.longestPause)
    // splitmix64
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
    // What we hold back ourselves is read on when there is room, however long that takes.
    case .running where exit != nil, .ending where exit != nil: deadline = isHeldBack ? nil : stepEnds
    case .ending: deadline = stepEnds
    case .running:
      deadline = [stoppedSince, silencedSince].compactMap { $0?.advanced(by: policy.patience) }.min()
      guard answersHealth, !isHeldBack else { return }
      let health = askedAt?.advanced(by: policy.patience) ?? heardAt.advanced(by: policy.heartbeat)
      deadline = min(deadline ?? health, health)
    }
  }
}
