import ListEngine
import SourceRuntime

/// The table into which several senders put rows.
///
///     table.add(text.read(bytes), of: text)
///     table.end(text)                         // text.report counts rows and faults
///     table.flush()
struct PushTable {
  private var feed: TableFeed
  /// The sender of the last rows, to which faults belong.
  private var current: PushedText?
  /// The rows that the table had taken when ``current`` was last credited.
  private var credited = 0
  /// The sender of a complete list that has not ended.
  private(set) var reloading: PushedText?
  private var isReloadBegun = false

  /// The member of a row that deletes the row with its key.
  static let deletion = "$delete"

  init(name: String, options: TextOptions, events: @escaping @Sendable (SourceEvent) -> Bool) {
    feed = TableFeed(name: name, options: options, replacesByKey: true, events: events)
  }

  /// Whether rows wait for the table's inference.
  var isSampling: Bool { feed.isSampling }

  /// Begins a sender's text; returns the reason for refusing it, or `nil`.
  mutating func begin(_ text: PushedText) -> UploadReport.Failure? {
    guard text.replaces else { return nil }
    guard reloading == nil else { return .conflict("another complete list is being sent") }
    reloading = text
    isReloadBegun = feed.table != nil
    feed.change { $0.beginReload() }
    return nil
  }

  /// Adds rows of a sender.
  mutating func add(_ rows: [TextReader.Found], of text: PushedText) {
    guard !rows.isEmpty else { return }
    select(text)
    let isTextual = text.reader.isTextual
    // A table that began with typed values needs typed values.
    let converts = isTextual && feed.table?.isTextual == false
    for found in rows {
      guard case .row(let row, let place) = found else {
        feed.add([found], isTextual: isTextual, hints: text.reader.hints)
        continue
      }
      if !isTextual, row.contains(where: { $0.name == Self.deletion && $0.value == .boolean(true) }) {
        guard feed.table != nil else { continue }
        feed.change { $0.delete(row, at: place) }
      } else {
        let row = converts ? row.map { ($0.name, Self.typed($0.value)) } : row
        feed.add([.row(row, place: place)], isTextual: isTextual, hints: text.reader.hints)
      }
    }
    credit()
  }

  private static func typed(_ value: UntypedValue) -> UntypedValue {
    guard case .text(let text) = value else { return value }
    return text.isEmpty ? .null : UntypedValue(reading: text)
  }

  /// Settles the rows of another sender first, so that their faults are credited to it.
  private mutating func select(_ text: PushedText) {
    guard current !== text else { return }
    settle()
    current = text
  }

  /// Runs pending inference.
  mutating func settle() {
    feed.change { $0.settle() }
    credit()
  }

  /// Credits rows and faults since the last call to the current sender.
  private mutating func credit() {
    guard let table = feed.table, let current else { return }
    current.report.accepted += table.rowCount - credited
    credited = table.rowCount
    feed.change { table in
      let (count, reasons) = table.takeFaults()
      if count > 0 { current.report.note(faults: count, reasons.map { ForeignText.cut($0) }) }
    }
  }

  /// Ends a sender's text.
  ///
  /// A complete list deletes the rows that are missing from it only if it was received to its end
  /// and not all of its rows were left out. The caller flushes before the next text begins.
  mutating func end(_ text: PushedText, isWhole: Bool) {
    add(text.end(isWhole: isWhole), of: text)
    if current === text { settle() }
    if reloading === text {
      if isReloadBegun {
        let isWhole = isWhole && text.refusal == nil && (text.report.accepted > 0 || text.found == 0)
        feed.change { isWhole ? $0.endReload() : $0.abandonReload() }
      }
      reloading = nil
    }
    if current === text { current = nil }
  }

  /// Whether changes wait for ``flush()``.
  var hasChanges: Bool { feed.table.map { $0.pendingRows > 0 } ?? false }

  /// Whether enough changes wait for ``flush()``.
  var isFull: Bool { feed.isFull }

  /// Emits pending columns and changes; returns false when an event was refused.
  mutating func flush() -> Bool { feed.complain() && feed.flush(notice: current?.reader.notice ?? "") }
}
