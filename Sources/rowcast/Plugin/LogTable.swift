import Foundation
import ListEngine
import Server
import Threads

/// The table `log`: the lines that a plugin writes to standard error, and reports of its state.
final class LogTable: Sendable {
  private struct State {
    var number: Int64 = 0
    var isOpening = false
    var isOpen = false
    var waiting = Changeset()
  }

  /// The URL fragment that shows the first table with the log next to it.
  static let besideTheFirst = "#beside=table%3Dlog"

  /// The severity of a line's level.
  static let levels = ColumnPresentation(
    warning: .values([.text("warning")]), critical: .values([.text("error")]))

  private static let schema = Schema(
    name: "log", title: "Log", key: .integer,
    columns: [
      Column("time", .timestamp, title: "Time", width: 24),
      Column("level", .text, title: "Level", style: .badge, width: 10, presentation: levels),
      Column("text", .text, title: "Text", width: 120),
    ], retention: .last(10_000))

  private let inlet: SourceInlet
  private let state = Guarded(State())

  /// Creates the table without showing it.
  init(_ control: ServerControl) { inlet = control.addSource("log") }

  /// Shows the table, on the first call only.
  ///
  /// The plugin's table must be declared first, because the page shows the first table.
  func open() {
    let isFirst = state.withLock { state in
      defer { state.isOpening = true }
      return !state.isOpening
    }
    guard isFirst else { return }
    inlet.report(.schema(Self.schema))
    // Rows must not precede the schema, so other threads may send them only from here on.
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = Changeset() }
      return state.waiting
    }
    if !waiting.isEmpty { inlet.report(.changes(waiting)) }
    inlet.report(.state(.live, message: ""))
  }

  /// Appends a line; a level at its start, as in `warning: the disk is full`, takes precedence.
  func add(_ level: String, _ line: String) {
    var (level, text) = (level, Substring(line))
    for word in ["debug", "info", "warning", "error"] where text.lowercased().hasPrefix("\(word): ") {
      level = word
      text = text.dropFirst(word.count + 2)
      break
    }
    let time = Int64(Date().timeIntervalSince1970 * 1_000) * 1_000_000
    let changes = state.withLock { state -> Changeset? in
      state.number += 1
      let cells: [Cell] = [.timestamp(time), .text(level), .text(String(text.prefix(8_000)))]
      if state.isOpen {
        var changes = Changeset()
        changes.upsert(.integer(state.number), cells)
        return changes
      }
      if state.waiting.count < 1_000 { state.waiting.upsert(.integer(state.number), cells) }
      return nil
    }
    if let changes { inlet.report(.changes(changes)) }
  }
}
