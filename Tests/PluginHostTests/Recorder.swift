import Foundation
import ListEngine
import PluginHost

/// Hears what a source tells, and lets a test wait for it. Every wait ends: after half a minute with an error.
final class Recorder: @unchecked Sendable {
  private let condition = NSCondition()
  private var heard: [SourceEvent] = []
  private var lines: [(level: PluginLogLevel, text: String)] = []
  private var isClosed = false
  private var isOver = false
  private var waiting = 0

  /// What was heard so far.
  var events: [SourceEvent] { condition.withLock { heard } }
  /// What was logged so far.
  var log: [String] { condition.withLock { lines.map { "\($0.level): \($0.text)" } } }
  /// How many callers are held at the gate.
  var held: Int { condition.withLock { waiting } }

  /// For `PluginSource`: notes the event, after the gate has let it through.
  func hear(_ event: SourceEvent) -> Bool {
    condition.withLock {
      waiting += 1
      condition.broadcast()
      while isClosed && !isOver { condition.wait() }
      waiting -= 1
      guard !isOver else { return false }
      heard.append(event)
      condition.broadcast()
      return true
    }
  }

  func note(_ level: PluginLogLevel, _ text: String) {
    condition.withLock {
      lines.append((level, text))
      condition.broadcast()
    }
  }

  /// Holds everyone who tells something.
  func close() { condition.withLock { isClosed = true } }
  /// Lets them through.
  func open() { change { isClosed = false } }
  /// From now on the answer is that we are stopping.
  func end() { change { isOver = true } }

  private func change(_ body: () -> Void) {
    condition.withLock {
      body()
      condition.broadcast()
    }
  }

  /// Waits until this is so.
  func wait(_ what: String, until isTrue: (Recorder.View) -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 30)
    try condition.withLock {
      while !isTrue(View(events: heard, log: lines.map(\.text), held: waiting)) {
        guard condition.wait(until: deadline) else { throw Workshop.Failure(description: "waited in vain for \(what)") }
      }
    }
  }

  struct View {
    var events: [SourceEvent]
    var log: [String]
    var held: Int

    /// The changesets among the events.
    var changes: [Changeset] {
      events.compactMap { if case .changes(let changes) = $0 { changes } else { nil } }
    }
    /// The states among the events, as `live: message`.
    var states: [String] {
      events.compactMap { if case .state(let state, let message, _) = $0 { "\(state): \(message)" } else { nil } }
    }
    /// The schema, when it was told.
    var schema: Schema? {
      for case .schema(let schema) in events { return schema }
      return nil
    }
    /// The rows of all changesets, in order.
    var rows: [PlainRow] { changes.flatMap { PlainRow.rows(of: $0) } }
  }

  /// What is known so far.
  var view: View { condition.withLock { View(events: heard, log: lines.map(\.text), held: waiting) } }
}
