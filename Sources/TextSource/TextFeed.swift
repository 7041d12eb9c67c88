import ListEngine
import SourceRuntime

/// Connects a stream's reader to the table inferred from it, and emits the source's events.
struct TextFeed {
  private final class Box {
    var reader: TextReader
    init(_ reader: consuming TextReader) { self.reader = reader }
  }

  private let box: Box
  private var table: InferredTable?
  private let name: String
  private let options: TextOptions
  private let events: @Sendable (SourceEvent) -> Bool
  private var hasToldSchema = false
  private var isLive = false
  private var toldNotice = ""
  /// A notice about the stream's encoding, or empty.
  var encodingNotice = ""

  init(name: String, options: TextOptions, events: @escaping @Sendable (SourceEvent) -> Bool) {
    self.name = name
    self.options = options
    self.events = events
    box = Box(TextReader(format: options.format, options: options))
  }

  /// Whether input waits for inference, which runs when the input pauses.
  var isSampling: Bool { box.reader.isSampling || table?.isSampling ?? false }

  /// Processes one line; returns false when an event was refused.
  mutating func take(_ line: LineSplitter.Line, _ limit: Int) -> Bool {
    switch line {
    case .whole(let bytes, let number): box.reader.read(bytes, number: number)
    case .tooLong(let number): box.reader.noteTooLong(number, limit: limit)
    }
    guard box.reader.hasRows else { return true }
    takeRows()
    guard complain() else { return false }
    return (table?.pendingRows ?? 0) < SourceEvent.partRows && (table?.pendingBytes ?? 0) < SourceEvent.partBytes
      || flush()
  }

  private mutating func takeRows() {
    for found in box.reader.takeRows() {
      if table == nil { makeTable() }
      switch found {
      case .row(let row, let place): table?.add(row, at: place)
      case .fault(let reason): table?.reject(reason)
      }
    }
  }

  /// Reports rejected rows as long as no table exists to count them; returns false when an event
  /// was refused.
  private mutating func complain() -> Bool {
    guard let complaint = table?.takeComplaint(), !hasToldSchema else { return true }
    return events(.state(.starting, message: complaint))
  }

  /// Creates the table once the format is known, because key inference depends on the format.
  private mutating func makeTable() {
    var table = InferredTable(
      name: name, title: options.title, key: options.key, columns: options.columns, isTextual: box.reader.isTextual,
      hints: options.allHints(box.reader.hints))
    if options.key.isEmpty, options.guessesKey, options.kept == nil { table.findsKey = .ifNamed }
    table.retention = (options.kept ?? options.bound).map { .last($0) } ?? .everything
    table.addsColumns = true
    self.table = table
  }

  /// Emits pending columns and changes; returns false when an event was refused.
  mutating func flush() -> Bool {
    guard let schema = table?.schema else { return true }
    let added = table?.takeAddedColumns() ?? []
    if !hasToldSchema {
      hasToldSchema = true
      guard events(.schema(added.first?.former ?? schema)) else { return false }
    }
    for addition in added {
      guard addition.before.isEmpty || events(.changes(addition.before)), events(.columnsAdded(addition.schema)) else {
        return false
      }
      isLive = false
    }
    if let changes = table?.takeChanges() {
      guard events(.changes(changes)) else { return false }
    } else if added.isEmpty {
      return true
    }
    let notice = notice
    if !isLive || notice != toldNotice {
      isLive = true
      toldNotice = notice
      return events(.state(.live, message: notice))
    }
    return true
  }

  /// Notices about how the rows were read, or empty.
  private var notice: String {
    [encodingNotice, box.reader.notice, table?.keyNotice ?? ""].filter { !$0.isEmpty }.joined(separator: ". ")
  }

  /// Runs pending inference, because the input has paused, and emits the result.
  mutating func settle() -> Bool {
    box.reader.settle()
    takeRows()
    table?.settle()
    return complain() && flush()
  }

  /// Reports that the stream is not text.
  func refuse(_ reason: String) { _ = events(.state(.failed, message: reason)) }

  /// Finishes the table at the end of the input; returns false when an event was refused.
  mutating func end() -> Bool {
    box.reader.end()
    takeRows()
    if table == nil, let names = box.reader.names {
      makeTable()
      table?.settle(withoutRows: names)
    }
    table?.settle()
    guard flush() else { return false }
    guard hasToldSchema else {
      let reason = table.map(\.lastRejection).flatMap { $0.isEmpty ? nil : $0 } ?? "there was no row to read"
      return events(.state(.failed, message: options.reason(reason, takenFor: box.reader.format)))
    }
    let notice = notice
    return events(.state(.live, message: notice.isEmpty ? "Complete" : "Complete. \(notice)"))
  }
}
