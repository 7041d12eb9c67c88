import Dispatch
import ListEngine
import Threads

/// A run of an instance of a source that shows nothing, to see whether it works.
///
///     TrialRun.outcome(of: maker, within: .seconds(30))   // .works(columns: 3, rows: 120)
///
/// The instance runs until its first complete list, by the rules of ``Handover``, and then ends.
package enum TrialRun {
  /// The outcome of a run.
  package enum Outcome: Equatable, Sendable {
    /// The instance works. `rows` is `nil` for a remote table, whose rows are read on demand.
    case works(columns: Int, rows: Int?)
    /// The instance does not work, for this reason.
    case fails(String)
  }

  private struct State {
    var handover = Handover(at: monotonicNow)
    var schema: Schema?
    var rows = 0
    var outcome: Outcome?

    mutating func take(_ event: SourceEvent) {
      switch event {
      case .schema(let new), .columnsAdded(let new): schema = new
      case .changes(let changes): changes.forEachRow { if $0.verb == .upsert { rows += 1 } }
      default: break
      }
      follow(handover.take(event, at: monotonicNow))
    }

    mutating func follow(_ decision: Handover.Decision) {
      switch decision {
      case .wait: break
      case .refused(let reason): outcome = .fails(reason)
      case .ready:
        outcome = .works(columns: schema?.columns.count ?? 0, rows: schema?.windowed == nil ? rows : nil)
      }
    }
  }

  private final class Run: @unchecked Sendable {
    let monitor = Monitor()
    // Guarded by `monitor`.
    private var state = State()

    /// Processes an event; returns false to end the instance. [any thread]
    func receive(_ event: SourceEvent) -> Bool {
      monitor.withLock {
        guard state.outcome == nil else { return false }
        state.take(event)
        if state.outcome != nil { monitor.wakeAll() }
        return state.outcome == nil
      }
    }

    /// Waits for the outcome, and returns `nil` after `end`.
    func outcome(until end: Instant) -> Outcome? {
      monitor.withLock {
        while state.outcome == nil {
          let now = monotonicNow
          guard now < end else { return nil }
          let pause = max(.zero, now.duration(to: min(end, state.handover.deadline)))
          if monitor.wait(nanoseconds: UInt64(pause.nanoseconds), until: { state.outcome != nil }) { break }
          state.follow(state.handover.advance(to: monotonicNow))
        }
        return state.outcome
      }
    }
  }

  /// Starts an instance, waits for the outcome, and ends the instance, which takes two seconds at
  /// most.
  package static func outcome(of make: SourceMaker, within bound: Duration) -> Outcome {
    let run = Run()
    do throws(PluginError) {
      let source = try make { run.receive($0) }
      defer { source.stop(within: .seconds(2)) }
      try source.start()
      return run.outcome(until: monotonicNow.advanced(by: bound))
        ?? .fails("it has sent no complete list for \(bound.components.seconds) seconds")
    } catch {
      return .fails("\(error)")
    }
  }
}
