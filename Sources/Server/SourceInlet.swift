import ListEngine

/// Where one source hands in what it has to say; its end of the way into the loop.
///
///     let inlet = server.control.addSource("processes")
///     inlet.tell(.schema(schema))
///     inlet.tell(.changes(changes))      // waits while the loop is behind
///
/// Every source has a box of its own, so that a fast one fills its own only.
public final class SourceInlet: Sendable {
  /// What a source has to say.
  public enum Event: Sendable {
    /// Its table; comes before all else, and again when the source has started anew.
    case schema(Schema)
    /// The same columns as before, and more behind them; the rows stay.
    case columnsAdded(Schema)
    /// Its rows have changed.
    case changes(Changeset)
    /// It is up or down, and why; `retry`: how long it is until it is tried again.
    case state(SourceState, message: String, retry: Duration? = nil)
    /// A deferred cell's value.
    case loaded(RowKey, column: Int, Cell)
    /// A deferred cell could not be loaded.
    case notLoaded(RowKey, column: Int, reason: String)
    /// A deferred cell's value is not true any more.
    case forget(RowKey, column: Int)
    /// Answers of a windowed source.
    case page(PageRequestID, RowPage)
    case sections(PageRequestID, [SectionCount])
    case pageFailed(PageRequestID, reason: String)
    /// Something in a windowed source is not as it was.
    case sourceChanged
    /// The bytes of an image, by the number of its request.
    case image(UInt64, ImageOutcome)
    /// What became of an action, by the number of its request.
    case acted(UInt64, ActionOutcome)
  }

  /// What a source is asked to do.
  public enum Wish: Sendable {
    /// Load these deferred cells, the most urgent first; each is to be answered.
    case load([DeferredCell])
    /// Stop loading these: nobody looks any more.
    case cancel([DeferredCell])
    /// Answer these queries, the most urgent first; each is to be answered.
    case ask([PageRequest])
    /// Stop working on these: nobody waits any more.
    case cancelPages([PageRequestID])
    /// Give the bytes of the image with this key, by a number of the request; to be answered.
    case image(UInt64, key: String)
    /// Stop working on these: nobody waits any more.
    case cancelImages([UInt64])
    /// Do this, and answer with ``Event/acted(_:_:)``.
    case act(ActionRequest)
  }

  /// What logs call the source.
  public let name: String
  /// An event, and when the source handed it in: before it waited.
  struct Mail: Sendable {
    var event: Event
    var since: Instant
  }

  let mailbox: Mailbox<Mail>
  private let reader = Guarded<(@Sendable (String) -> Void)?>(nil)
  private let listener = Guarded<(@Sendable (Wish, Schema?) -> Void)?>(nil)
  /// The columns of the table that the engine has for the source; wishes name columns by their numbers in it. [the loop]
  private let knownSchema = Guarded<Schema?>(nil)

  private let confinementText = Guarded<String?>(nil)

  init(name: String, rowLimit: Int, byteLimit: Int, onMail: @escaping @Sendable () -> Void) {
    self.name = name
    self.mailbox = Mailbox(rowLimit: rowLimit, byteLimit: byteLimit, onMail: onMail)
  }

  /// Hands in one event; waits while the source is ahead of the loop. [any thread but the loop]
  ///
  /// - Returns: `false` when the server is stopping, and the source should.
  @discardableResult
  public func tell(_ event: Event) -> Bool {
    let mail = Mail(event: event, since: EventLoop.now)
    return switch event {
    case .changes(let changes): mailbox.put(mail, rows: max(1, changes.count), bytes: changes.byteCount)
    case .page(_, let page): mailbox.put(mail, rows: max(1, page.rows.count), bytes: page.byteCount)
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
    case .image, .schema, .columnsAdded, .forget, .sourceChanged: mailbox.put(mail, rows: 1, bytes: 1_024)
    }
  }

  /// Says who hears what the source is asked to do. He is called on the loop: he must not wait, and not ``tell(_:)``. [any thread]
  public func listen(_ listener: @escaping @Sendable (Wish) -> Void) { listenWithSchema { wish, _ in listener(wish) } }

  /// Does the same; the listener also gets the schema that the wish was made for. The source may have another one by now.
  public func listenWithSchema(_ listener: @escaping @Sendable (Wish, Schema?) -> Void) {
    self.listener.withLock { $0 = listener }
  }

  /// [the loop] Notes the schema that wishes are made for from now on.
  func note(_ schema: Schema) { knownSchema.withLock { $0 = schema } }

  /// Names the reader of what the server logs about the source's rows. It is called on the loop: it must not wait, and not ``tell(_:)``.
  /// [any thread]
  public func readNotes(_ reader: @escaping @Sendable (String) -> Void) { self.reader.withLock { $0 = reader } }

  /// Describes the restrictions in force for the source's program, for people; `nil` where there is no program. [any thread]
  public func describe(confinement text: String?) { confinementText.withLock { $0 = text } }

  var confinement: String? { confinementText.withLock { $0 } }

  /// [the loop]
  func note(_ line: String) { reader.withLock { $0 }?(line) }

  /// [the loop]
  ///
  /// - Returns: whether there is someone who hears it.
  func ask(_ wish: Wish) -> Bool {
    guard let listener = listener.withLock({ $0 }) else { return false }
    listener(wish, knownSchema.withLock { $0 })
    return true
  }
}

extension Cell {
  /// The bytes that it holds beside its own place.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text), .image(let text): text.utf8.count
    case .series(let values): values.count * MemoryLayout<Double>.stride
    case .null, .boolean, .integer, .number, .timestamp: 0
    }
  }
}

extension RowPage {
  /// The bytes that it holds, about.
  fileprivate var byteCount: Int {
    rows.reduce(1_024) { sum, row in
      var key = 0
      if case .text(let text) = row.key { key = text.utf8.count }
      return sum + 64 + key + row.cells.reduce(0) { $0 + MemoryLayout<Cell>.stride + $1.byteCount }
    }
  }
}
