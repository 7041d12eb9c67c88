import ListEngine
import SourceRuntime

/// Connects a stream's reader to the table inferred from it, and emits the source's events.
struct TextFeed {
  private final class Box {
    var reader: TextReader
    init(_ reader: consuming TextReader) { self.reader = reader }
  }

  private let box: Box
  private var feed: TableFeed
  private let options: TextOptions
  private let events: @Sendable (SourceEvent) -> Bool
  /// A notice about the stream's encoding, or empty.
  var encodingNotice = ""

  init(name: String, options: TextOptions, events: @escaping @Sendable (SourceEvent) -> Bool) {
    self.options = options
    self.events = events
    feed = TableFeed(name: name, options: options, events: events)
    box = Box(TextReader(format: options.format, options: options))
  }

  /// Whether input waits for inference, which runs when the input pauses.
  var isSampling: Bool { box.reader.isSampling || feed.isSampling }

  /// Processes one line; returns false when an event was refused.
  mutating func take(_ line: LineSplitter.Line, _ limit: Int) -> Bool {
    box.reader.read(line, limit: limit)
    guard box.reader.hasRows else { return true }
    takeRows()
    guard feed.complain() else { return false }
    return !feed.isFull || flush()
  }

  private mutating func takeRows() {
    feed.add(box.reader.takeRows(), isTextual: box.reader.isTextual, hints: box.reader.hints)
  }

  /// Emits pending columns and changes; returns false when an event was refused.
  mutating func flush() -> Bool { feed.flush(notice: notice) }

  /// Notices about how the rows were read, or empty.
  private var notice: String {
    [encodingNotice, box.reader.notice].filter { !$0.isEmpty }.joined(separator: ". ")
  }

  /// Runs pending inference, because the input has paused, and emits the result.
  mutating func settle() -> Bool {
    box.reader.settle()
    takeRows()
    feed.change { $0.settle() }
    return feed.complain() && flush()
  }

  /// Reports that the stream is not text.
  func refuse(_ reason: String) { _ = events(.state(.failed, message: reason)) }

  /// Finishes the table at the end of the input; returns false when an event was refused.
  mutating func end() -> Bool {
    box.reader.end()
    takeRows()
    if feed.table == nil, let names = box.reader.names {
      feed.settle(withoutRows: names, isTextual: box.reader.isTextual, hints: box.reader.hints)
    }
    feed.change { $0.settle() }
    guard flush() else { return false }
    guard feed.hasSentSchema else {
      let reason = feed.table.map(\.lastRejection).flatMap { $0.isEmpty ? nil : $0 } ?? "there was no row to read"
      return events(.state(.failed, message: options.reason(reason, takenFor: box.reader.format)))
    }
    let notice = [notice, feed.table?.keyNotice ?? ""].filter { !$0.isEmpty }.joined(separator: ". ")
    return events(.state(.live, message: notice.isEmpty ? "Complete" : "Complete. \(notice)"))
  }
}
