import Dispatch
import ListEngine
import Threads

/// A source whose plugin can be replaced while it runs (hot swap).
///
///     let source = SwappingSource(log: { level, text in ... }) { event in mailbox.put(event) }
///     try source.start { events in ChildSource(command, name: "jobs", log: log, events: events) }
///     ...
///     source.swap { events in ChildSource(newer, name: "jobs", log: log, events: events) }
///
/// The new instance runs next to the old one until its first complete list. It then takes over, and
/// its rows are reconciled with the old ones by key. If its columns differ, the table is replaced.
/// If it fails before that, the old instance stays and the reason is logged.
package final class SwappingSource: @unchecked Sendable {
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool

  /// The lock that is held while events are delivered, so that those of two instances do not mix.
  ///
  /// A thread that holds `turn` may take `monitor`, but not vice versa.
  private let turn = Monitor()
  // Guarded by `turn`.
  private var isInsideReload = false
  private var handover: Handover?
  private var onRefusal: @Sendable () -> Void = {}

  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var number = 0
  private var current: (number: Int, source: any RunningSource)?
  private var candidate: (number: Int, source: any RunningSource)?
  private var isStopping = false
  /// The last schema delivered, which is that of ``current``.
  private var sentSchema: Schema?

  private let timers = DispatchQueue(label: "handover")
  private let endings = DispatchQueue(label: "endings", attributes: .concurrent)

  /// Creates a source without an instance.
  ///
  /// - Parameters:
  ///   - log: Receives the results of hot swaps. [any thread]
  ///   - events: Receives the events of the current instance in order, one call at a time. It may
  ///     wait. Returns false to stop the source.
  package init(
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.log = log
    self.events = events
  }

  /// Starts the first instance.
  ///
  /// - Precondition: `start` was not called before.
  package func start(_ make: SourceMaker) throws(PluginError) {
    let number = nextNumber()
    let source = try make { [weak self] in self?.receive($0, from: number) ?? false }
    monitor.withLock { current = (number, source) }
    try source.start()
  }

  /// Starts another instance next to the current one, discarding an earlier candidate.
  ///
  /// Does not wait.
  ///
  /// - Parameter onRefusal: Called if the new instance is discarded because it failed. [any thread]
  package func swap(_ make: SourceMaker, onRefusal: @escaping @Sendable () -> Void = {}) {
    let number = nextNumber()
    turn.withLock { self.onRefusal = onRefusal }
    let previous = monitor.withLock {
      defer { candidate = nil }
      return candidate
    }
    if let previous { end(previous.source) }
    turn.withLock { handover = Handover(at: monotonicNow) }
    do throws(PluginError) {
      let source = try make { [weak self] in self?.receive($0, from: number) ?? false }
      let isTooLate = monitor.withLock {
        if !isStopping { candidate = (number, source) }
        return isStopping
      }
      guard !isTooLate else { return }
      log(.info, "a new instance is starting; the current one runs until it is ready")
      try source.start()
      look(at: number)
    } catch {
      monitor.withLock { candidate = nil }
      refuse("\(error)")
    }
  }

  /// Sends a request to the current instance. [any thread, never waits]
  ///
  /// Requests made for the columns of a former instance are not forwarded, because their column
  /// numbers may be wrong. Loads and queries among them need no answer, since the table that waits
  /// for them is replaced.
  ///
  /// - Parameter schema: The schema that the request was made for, or `nil` for the current one.
  package func send(_ request: SourceRequest, of schema: Schema? = nil) {
    let source = monitor.withLock { () -> (any RunningSource)?? in
      guard schema == nil || sentSchema == nil || schema == sentSchema else { return nil }
      return .some(current?.source)
    }
    if let source { source?.send(request, of: schema) } else { refusePrevious(request) }
  }

  /// Answers a request for a former instance if a caller waits for the answer.
  private func refusePrevious(_ request: SourceRequest) {
    guard let answer = SourceEvent.refusing(former: request) else { return }
    // Asynchronous, because delivering may wait.
    timers.async { [weak self] in self?.turn.withLock { _ = self?.events(answer) } }
  }

  /// Stops every instance and waits; returns false when that took too long.
  @discardableResult
  package func stop(within bound: Duration = .seconds(5)) -> Bool {
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

  /// Stops an instance asynchronously, because the caller may be on one of its threads.
  private func end(_ source: any RunningSource) { endings.async { source.stop(within: .seconds(10)) } }

  // MARK: Events of instances

  private func receive(_ event: SourceEvent, from number: Int) -> Bool {
    turn.withLock {
      let (isCurrent, isCandidate) = monitor.withLock { (current?.number == number, candidate?.number == number) }
      if isCurrent { return report(event) }
      guard isCandidate else { return answer(event) }
      guard let decision = handover?.take(event, at: monotonicNow) else { return true }
      return follow(decision, of: number)
    }
  }

  /// Delivers an event of a former instance only if it answers a request.
  private func answer(_ event: SourceEvent) -> Bool {
    switch event {
    case .notLoaded, .pageFailed, .image, .acted, .upload: events(event)
    default: false
    }
  }

  private func report(_ event: SourceEvent) -> Bool {
    if case .changes(let changes) = event {
      if changes.beginsReload { isInsideReload = true }
      if changes.endsReload || (changes.abandonsReload && !changes.beginsReload) { isInsideReload = false }
    }
    switch event {
    case .schema(let schema), .columnsAdded(let schema): monitor.withLock { sentSchema = schema }
    default: break
    }
    return events(event)
  }

  /// Carries out a decision of the handover.
  ///
  /// Requires `turn`.
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
      let held = handover?.takeEvents(isInsideReload: isInsideReload) ?? []
      let schema = held.lazy.compactMap { if case .schema(let schema) = $0 { schema } else { nil } }.first
      let previous = monitor.withLock {
        defer { candidate = nil }
        let previous = current?.source
        current = candidate
        // Updated together, so that no request for the former columns reaches the new instance.
        if let schema { sentSchema = schema }
        return previous
      }
      if let previous { end(previous) }
      handover = nil
      for event in held where !report(event) { return false }
      log(.info, "the new instance has taken over")
      // The new instance may have reported its own state.
      let hasState = held.contains { if case .state = $0 { true } else { false } }
      return hasState || report(.state(.live, message: ""))
    }
  }

  private func refuse(_ reason: String) {
    onRefusal()
    log(.error, "the new instance is not used, the old one stays: \(reason)")
  }

  /// Checks the candidate's timeouts periodically while it is the candidate.
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
