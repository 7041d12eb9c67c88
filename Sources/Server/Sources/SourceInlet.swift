import ListEngine
import Threads

/// The entry point for one source's events into the server.
///
///     let inlet = server.control.addSource("processes")
///     inlet.report(.schema(schema))
///     inlet.report(.changes(changes))    // blocks while the loop is behind
///
/// Each source has a mailbox of its own, so that a fast source only fills its own.
public final class SourceInlet: Sendable {
  /// The name of the source in logs.
  public let name: String
  /// An event with the time at which the source delivered it, before any blocking.
  struct Mail: Sendable {
    var event: SourceEvent
    var since: Instant
  }

  /// The part that several threads use.
  private struct State {
    var reader: (@Sendable (String) -> Void)?
    var listener: (@Sendable (SourceRequest, Schema?) -> Void)?
    /// The schema of the engine's table; requests refer to its columns by index.
    var schema: Schema?
    var confinement: String?
    var takesUploads = false
    var copier: (@Sendable (SourceEvent) -> Void)?
  }

  let mailbox: Mailbox<Mail>
  private let state = Guarded(State())

  init(name: String, rowLimit: Int, byteLimit: Int, onMail: @escaping @Sendable () -> Void) {
    self.name = name
    self.mailbox = Mailbox(rowLimit: rowLimit, byteLimit: byteLimit, onMail: onMail)
  }

  /// Sends one event; blocks while the source is ahead of the loop. [any thread but the loop]
  ///
  /// - Returns: `false` if the server is stopping, so the source should stop, too.
  @discardableResult
  public func report(_ event: SourceEvent) -> Bool {
    state.withLock { $0.copier }?(event)
    let mail = Mail(event: event, since: EventLoop.now)
    return switch event {
    case .changes(let changes): mailbox.put(mail, rows: max(1, changes.count), bytes: changes.byteCount)
    case .page(_, let block): mailbox.put(mail, rows: max(1, block.rows.count), bytes: block.byteCount)
    case .sections(_, let sections):
      mailbox.put(
        mail, rows: max(1, sections.count),
        bytes: sections.reduce(1_024) { sum, section in
          section.values.reduce(sum + 128) { $0 + $1.byteCount }
        })
    case .image(_, .bytes(let bytes)): mailbox.put(mail, rows: 1, bytes: 1_024 + bytes.count)
    case .state(_, let text, _), .notLoaded(_, _, let text), .pageFailed(_, let text), .acted(_, .done(let text)),
      .acted(_, .failed(_, let text)), .image(_, .failed(let text)):
      mailbox.put(mail, rows: 1, bytes: 1_024 + text.utf8.count)
    case .loaded(_, _, let cell): mailbox.put(mail, rows: 1, bytes: 1_024 + cell.byteCount)
    case .image, .schema, .columnsAdded, .forget, .sourceChanged, .upload: mailbox.put(mail, rows: 1, bytes: 1_024)
    }
  }

  /// Sets the closure that receives a copy of each event before the server does. [any thread]
  ///
  /// It is called on the source's thread, and may block the source.
  public func copyEvents(to copier: @escaping @Sendable (SourceEvent) -> Void) {
    state.withLock { $0.copier = copier }
  }

  /// Sets the closure that receives requests to the source. [any thread]
  ///
  /// It is called on the loop; it must neither block nor call ``report(_:)``.
  public func listen(_ listener: @escaping @Sendable (SourceRequest) -> Void) {
    listenWithSchema { request, _ in listener(request) }
  }

  /// Sets a closure that also receives the schema for which the request was made. [any thread]
  ///
  /// The source may have declared another schema meanwhile.
  public func listenWithSchema(_ listener: @escaping @Sendable (SourceRequest, Schema?) -> Void) {
    state.withLock { $0.listener = listener }
  }

  /// Sets the schema of subsequent requests. [the loop]
  func note(_ schema: Schema) { state.withLock { $0.schema = schema } }

  /// Sets the closure that receives the server's log lines about the source's rows. [any thread]
  ///
  /// It is called on the loop; it must neither block nor call ``report(_:)``.
  public func readNotes(_ reader: @escaping @Sendable (String) -> Void) { state.withLock { $0.reader = reader } }

  /// Sets the description of the restrictions in force; `nil` for a source without a program. [any
  /// thread]
  public func describe(confinement text: String?) { state.withLock { $0.confinement = text } }

  /// Whether clients may send rows to the source. [any thread]
  public var takesUploads: Bool {
    get { state.withLock { $0.takesUploads } }
    set { state.withLock { $0.takesUploads = newValue } }
  }

  var confinement: String? { state.withLock { $0.confinement } }

  /// Passes a log line about the source's rows to the reader. [the loop]
  func note(_ line: String) { state.withLock { $0.reader }?(line) }

  /// Sends a request to the source. [the loop]
  ///
  /// - Returns: Whether a listener exists.
  func ask(_ request: SourceRequest) -> Bool {
    let (listener, schema) = state.withLock { ($0.listener, $0.schema) }
    guard let listener else { return false }
    listener(request, schema)
    return true
  }
}

extension Cell {
  /// The size of the memory that the cell refers to, in bytes.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text), .image(let text): text.utf8.count
    case .series(let values): values.count * MemoryLayout<Double>.stride
    case .null, .boolean, .integer, .number, .timestamp: 0
    }
  }
}

extension RowBlock {
  /// The approximate size of the block, in bytes.
  fileprivate var byteCount: Int {
    rows.reduce(1_024) { sum, row in
      var key = 0
      if case .text(let text) = row.key { key = text.utf8.count }
      return sum + 64 + key + row.cells.reduce(0) { $0 + MemoryLayout<Cell>.stride + $1.byteCount }
    }
  }
}
