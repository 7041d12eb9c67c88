import Foundation
import ListEngine
import SourceRuntime

/// Records a source's events and lets tests wait for them.
///
/// Every wait fails after 30 seconds.
package final class Recorder: @unchecked Sendable {
  private let condition = NSCondition()
  private var received: [SourceEvent] = []
  private var lines: [(level: PluginLogLevel, text: String)] = []
  private var isClosed = false
  private var isOver = false
  private var waiting = 0

  package init() {}

  /// The events so far.
  package var events: [SourceEvent] { condition.withLock { received } }
  /// The log lines so far.
  package var log: [String] { condition.withLock { lines.map { "\($0.level): \($0.text)" } } }
  /// The number of callers waiting at the closed gate.
  package var held: Int { condition.withLock { waiting } }

  /// Records an event after waiting for the gate; the event function of a source.
  package func receive(_ event: SourceEvent) -> Bool {
    condition.withLock {
      waiting += 1
      condition.broadcast()
      while isClosed && !isOver { condition.wait() }
      waiting -= 1
      guard !isOver else { return false }
      received.append(event)
      condition.broadcast()
      return true
    }
  }

  package func note(_ level: PluginLogLevel, _ text: String) {
    condition.withLock {
      lines.append((level, text))
      condition.broadcast()
    }
  }

  /// Closes the gate, which blocks all sources that deliver events.
  package func close() { condition.withLock { isClosed = true } }
  /// Opens the gate.
  package func open() { change { isClosed = false } }
  /// Refuses all further events, which stops the source.
  package func end() { change { isOver = true } }

  private func change(_ body: () -> Void) {
    condition.withLock {
      body()
      condition.broadcast()
    }
  }

  /// Waits until a condition holds.
  package func wait(_ what: String, until isTrue: (Recorder.View) -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 180)
    try condition.withLock {
      while !isTrue(View(events: received, log: lines.map(\.text), held: waiting)) {
        guard condition.wait(until: deadline) else { throw Workshop.Failure(description: "waited in vain for \(what)") }
      }
    }
  }

  package struct View {
    package var events: [SourceEvent]
    package var log: [String]
    package var held: Int

    /// The changesets among the events.
    package var changes: [Changeset] {
      events.compactMap { if case .changes(let changes) = $0 { changes } else { nil } }
    }
    /// The states among the events, as `live: message`.
    package var states: [String] {
      events.compactMap { if case .state(let state, let message, _) = $0 { "\(state): \(message)" } else { nil } }
    }
    /// The schema, once it was delivered.
    package var schema: Schema? {
      for case .schema(let schema) in events { return schema }
      return nil
    }
    /// The rows of all changesets, in order.
    package var rows: [PlainRow] { changes.flatMap { PlainRow.rows(of: $0) } }
  }

  /// A snapshot of everything recorded so far.
  package var view: View { condition.withLock { View(events: received, log: lines.map(\.text), held: waiting) } }
}
