import Dispatch
import ListEngine

/// A source whose plugin can be exchanged while it runs.
///
///     let source = SwappingSource(log: { level, text in ... }) { event in mailbox.put(event) }
///     try source.start { events in ChildSource(command, name: "jobs", log: log, events: events) }
///     ...
///     source.swap { events in ChildSource(newer, name: "jobs", log: log, events: events) }
///
/// The new instance runs beside the old one until it has told its first whole list; then it takes over, and what it has told is reconciled
/// by key; when it has other columns it is another table. When it fails before that the old one stays, and the log says why.
public final class SwappingSource: @unchecked Sendable {
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool

  /// Held while something is told: what old and new instances tell must not get mixed. Whoever holds `turn` may take `monitor`, not the
  /// other way round.
  private let turn = Monitor()
  // Under `turn`.
  private var isInsideReload = false
  private var handover: Handover?

  private let monitor = Monitor()
  // Under `monitor`.
  private var number = 0
  private var current: (number: Int, source: any RunningSource)?
  private var candidate: (number: Int, source: any RunningSource)?
  private var isStopping = false
  /// The schema that was told last: that of ``current``.
  private var toldSchema: Schema?

  private let timers = DispatchQueue(label: "handover")
  private let endings = DispatchQueue(label: "endings", attributes: .concurrent)

  /// A source without an instance.
  ///
  /// - Parameters:
  ///   - log: What became of an exchange. [any thread]
  ///   - events: What the instance that counts tells, in order, one call at a time; it may wait. False: we are stopping.
  public init(
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.log = log
    self.events = events
  }

  /// Starts the first instance.
  ///
  /// - Precondition: It was not called before.
  public func start(_ make: SourceMaker) throws(PluginError) {
    let number = nextNumber()
    let source = try make { [weak self] in self?.hear($0, from: number) ?? false }
    monitor.withLock { current = (number, source) }
    try source.start()
  }

  /// Starts another instance beside the one that runs; one that waits to take over already is given up. Does not wait.
  public func swap(_ make: SourceMaker) {
    let number = nextNumber()
    let former = monitor.withLock {
      defer { candidate = nil }
      return candidate
    }
    if let former { end(former.source) }
    turn.withLock { handover = Handover(at: monotonicNow) }
    do throws(PluginError) {
      let source = try make { [weak self] in self?.hear($0, from: number) ?? false }
      let isTooLate = monitor.withLock {
        if !isStopping { candidate = (number, source) }
        return isStopping
      }
      guard !isTooLate else { return }
      log(.info, "a new instance is started beside the one that runs")
      try source.start()
      look(at: number)
    } catch {
      monitor.withLock { candidate = nil }
      refuse("\(error)")
    }
  }

  /// Asks the instance that counts. [any thread, never waits]
  ///
  /// - Parameter schema: The schema that the wish was made for; `nil` for that of the instance. A wish for the columns of a
  ///   former instance does not reach the present one: its numbers name other columns, or none. Loads and queries need no
  ///   answer, since the table that waits for them is replaced.
  public func send(_ wish: SourceRequest, of schema: Schema? = nil) {
    let source = monitor.withLock { () -> (any RunningSource)?? in
      guard schema == nil || toldSchema == nil || schema == toldSchema else { return nil }
      return .some(current?.source)
    }
    if let source { source?.send(wish) } else { refuseFormer(wish) }
  }

  /// Answers a wish for a former instance, where somebody waits for the answer.
  private func refuseFormer(_ wish: SourceRequest) {
    let answer: SourceEvent
    switch wish {
    case .act(let request):
      answer = .acted(request.id, .failed(.sourceDown, "its source was replaced, and nothing was done"))
    case .image(let number, _): answer = .image(number, .sourceDown)
    case .load, .cancel, .ask, .cancelPages, .cancelImages: return
    }
    // Not here: it may have to wait.
    timers.async { [weak self] in self?.turn.withLock { _ = self?.events(answer) } }
  }

  /// Ends every instance, and waits; false when that took longer than this.
  @discardableResult
  public func stop(within bound: Duration = .seconds(5)) -> Bool {
    let (current, candidate) = monitor.withLock {
      isStopping = true
      return (self.current?.source, self.candidate?.source)
    }
    if let candidate { end(candidate) }
    return current?.stop(within: bound) ?? true
  }

  private func nextNumber() -> Int {
    monitor.withLock {
      number += 1
      return number
    }
  }

  /// Its threads may be the ones that call us.
  private func end(_ source: any RunningSource) { endings.async { source.stop(within: .seconds(10)) } }

  // MARK: What instances tell

  private func hear(_ event: SourceEvent, from number: Int) -> Bool {
    turn.withLock {
      let (isCurrent, isCandidate) = monitor.withLock { (current?.number == number, candidate?.number == number) }
      if isCurrent { return tell(event) }
      guard isCandidate else { return answer(event) }
      guard let decision = handover?.take(event, at: monotonicNow) else { return true }
      return follow(decision, of: number)
    }
  }

  /// Of one that does not count any more only what somebody waits for is of interest.
  private func answer(_ event: SourceEvent) -> Bool {
    switch event {
    case .notLoaded, .pageFailed, .image, .acted: events(event)
    default: false
    }
  }

  private func tell(_ event: SourceEvent) -> Bool {
    if case .changes(let changes) = event {
      if changes.beginsReload { isInsideReload = true }
      if changes.endsReload || (changes.abandonsReload && !changes.beginsReload) { isInsideReload = false }
    }
    switch event {
    case .schema(let schema), .columnsAdded(let schema): monitor.withLock { toldSchema = schema }
    default: break
    }
    return events(event)
  }

  /// Does what the handover has decided. Under `turn`.
  private func follow(_ decision: Handover.Decision, of number: Int) -> Bool {
    switch decision {
    case .wait: return true
    case .refused(let reason):
      let source = monitor.withLock {
        defer { candidate = nil }
        return candidate?.source
      }
      handover = nil
      if let source { end(source) }
      refuse(reason)
      return false
    case .ready:
      let told = handover?.takeEvents(isInsideReload: isInsideReload) ?? []
      let schema = told.lazy.compactMap { if case .schema(let schema) = $0 { schema } else { nil } }.first
      let former = monitor.withLock {
        defer { candidate = nil }
        let former = current?.source
        current = candidate
        // Together: no wish for the former columns may reach the new instance.
        if let schema { toldSchema = schema }
        return former
      }
      if let former { end(former) }
      handover = nil
      for event in told where !tell(event) { return false }
      log(.info, "the new instance has taken over")
      // It may have said so itself, and why.
      let hasSaid = told.contains { if case .state = $0 { true } else { false } }
      return hasSaid || tell(.state(.live, message: ""))
    }
  }

  private func refuse(_ reason: String) { log(.error, "the new instance is not used, the old one stays: \(reason)") }

  /// Looks at the candidate when it is due, for as long as it is one.
  private func look(at number: Int) {
    timers.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
      guard let self, self.monitor.withLock({ self.candidate?.number == number }) else { return }
      self.turn.withLock {
        guard self.monitor.withLock({ self.candidate?.number == number }) else { return }
        guard let decision = self.handover?.advance(to: monotonicNow) else { return }
        _ = self.follow(decision, of: number)
      }
      self.look(at: number)
    }
  }
}
