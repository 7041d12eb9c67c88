import ListEngine
import SourceRuntime

/// Collects rows without a schema in an inferred table, and emits the source's events.
///
///     var feed = TableFeed(name: "jobs", options: options) { mailbox.put($0) }
///     feed.add(reader.takeRows(), isTextual: reader.isTextual, hints: reader.hints)
///     feed.flush(notice: reader.notice)
struct TableFeed {
  private(set) var table: InferredTable?
  private let name: String
  private let options: TextOptions
  private let events: @Sendable (SourceEvent) -> Bool
  /// Whether rows with the same key replace each other, also when the key is inferred.
  private let replacesByKey: Bool
  private(set) var hasSentSchema = false
  private var isLive = false
  private var sentNotice = ""

  init(
    name: String, options: TextOptions, replacesByKey: Bool = false,
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.name = name
    self.options = options
    self.replacesByKey = replacesByKey
    self.events = events
  }

  /// Whether rows wait for inference, which runs when the input pauses.
  var isSampling: Bool { table?.isSampling ?? false }

  /// Whether enough changes wait for ``flush(notice:)``.
  var isFull: Bool {
    (table?.pendingRows ?? 0) >= SourceEvent.partRows || (table?.pendingBytes ?? 0) >= SourceEvent.partBytes
  }

  /// Adds rows; the first ones create the table, because key inference depends on the format.
  mutating func add(_ found: [TextReader.Found], isTextual: Bool, hints: [String: ColumnHint]) {
    for found in found {
      if table == nil { makeTable(isTextual: isTextual, hints: hints) }
      switch found {
      case .row(let row, let place): table?.add(row, at: place)
      case .fault(let reason): table?.reject(reason)
      }
    }
  }

  /// Calls a function with the table; does nothing as long as no table exists.
  mutating func change(_ body: (inout InferredTable) -> Void) { if table != nil { body(&table!) } }

  private mutating func makeTable(isTextual: Bool, hints: [String: ColumnHint]) {
    var table = InferredTable(
      name: name, title: options.title, key: options.key, columns: options.columns, isTextual: isTextual,
      hints: options.allHints(hints))
    if options.key.isEmpty, options.guessesKey, replacesByKey || options.rowLimit == nil {
      table.findsKey = replacesByKey ? .ifNamedFirst : .ifNamed
    }
    table.retention = (options.rowLimit ?? options.defaultRowLimit).map { .last($0) } ?? .everything
    table.addsColumns = true
    table.presentation = options.presentation
    if !options.filterText.isEmpty {
      var presentation = table.presentation ?? TablePresentation()
      presentation.view.text = options.filterText
      table.presentation = presentation
    }
    self.table = table
  }

  /// Reports rejected rows as long as no table exists to count them; returns false when an event
  /// was refused.
  mutating func complain() -> Bool {
    guard let complaint = table?.takeComplaint(), !hasSentSchema else { return true }
    return events(.state(.starting, message: complaint))
  }

  /// Emits pending columns and changes; returns false when an event was refused.
  mutating func flush(notice: String) -> Bool {
    guard let schema = table?.schema else { return true }
    let added = table?.takeAddedColumns() ?? []
    if !hasSentSchema {
      hasSentSchema = true
      guard events(.schema(added.first?.previous ?? schema)) else { return false }
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
    let whole = [notice, table?.keyNotice ?? ""].filter { !$0.isEmpty }.joined(separator: ". ")
    if !isLive || whole != sentNotice {
      isLive = true
      sentNotice = whole
      return events(.state(.live, message: whole))
    }
    return true
  }

  /// Adopts the columns of a header without rows.
  mutating func settle(withoutRows names: [String], isTextual: Bool, hints: [String: ColumnHint]) {
    if table == nil { makeTable(isTextual: isTextual, hints: hints) }
    table?.settle(withoutRows: names)
  }
}
