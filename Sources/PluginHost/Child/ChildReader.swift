import Glibc
import ListEngine

/// Reads what one child process writes, on a thread of its own: while the engine is behind it does not read, the pipe fills, and the child
/// waits. That is the back-pressure.
final class ChildReader: @unchecked Sendable {
  /// What the reader finds, for whoever supervises the child. Called on the reader's thread.
  struct Listener: Sendable {
    /// Hands an event on; may wait. False: nobody listens any more.
    var tell: @Sendable (SourceEvent) -> Bool
    /// Something happened that the supervisor must know.
    var note: @Sendable (Supervisor.Input) -> Void
    /// The child has introduced itself.
    var greet: @Sendable (ChildHello) -> Void
    /// Its columns are known; the second argument: it has said hello before.
    var learn: @Sendable (Schema, Bool) -> Void
    /// Nothing more will come; the argument: whether it is in the middle of a list.
    var end: @Sendable (Bool) -> Void
  }

  /// After so long without a byte what has come is thought to be all for now.
  private static let quiet: Duration = .milliseconds(200)
  /// A guess at the columns does not wait longer than this.
  private static let longestSample: Duration = .seconds(1)

  private let file: Int32
  private let listener: Listener
  private let trace: (any TraceListener)?
  private let cut: WakeFile
  private let signs = Monitor()
  // Under `signs`.
  private var readCount = 0
  private var isWaiting = false
  // Of the thread.
  private var isCut = false
  private var hasGreeted = false

  /// For the read end of a pipe, which is closed at the end. `nil` when no file descriptor is left; then the pipe stays open.
  init?(_ file: Int32, _ listener: Listener, _ trace: (any TraceListener)? = nil) {
    guard let cut = WakeFile() else { return nil }
    self.file = file
    self.listener = listener
    self.trace = trace
    self.cut = cut
  }

  /// How often something was read, and whether what was read waits to be taken. [any thread]
  var signsOfLife: (count: Int, isWaiting: Bool) { signs.withLock { (readCount, isWaiting) } }

  /// Reads no further than what is there. [any thread]
  func cutOff() { cut.wake() }

  /// Starts reading; the reader keeps itself alive until its end.
  func start(_ name: String, decoder: consuming ChildDecoder) -> Bool {
    let kept = Guest(decoder)
    return startThread("in-\(name)") {
      beNice()
      self.run(kept.take())
    } == 0
  }

  /// Carries the decoder, which cannot be copied, onto the thread.
  private final class Guest: @unchecked Sendable {
    private var decoder: ChildDecoder?
    init(_ decoder: consuming ChildDecoder) { self.decoder = consume decoder }
    func take() -> ChildDecoder { decoder.take()! }
  }

  private func run(_ decoder: consuming ChildDecoder) {
    var decoder = decoder
    decoder.quotesLines = true
    var lines = LineSplitter()
    var sampleBegan: Instant?
    while true {
      var timeout: Int32 = -1
      if decoder.isSampling {
        let now = monotonicNow
        let began = sampleBegan ?? now
        sampleBegan = began
        let rest = min(Self.quiet, now.duration(to: began.advanced(by: Self.longestSample)))
        timeout = Int32(max(0, rest.nanoseconds) / 1_000_000)
      }
      var waiting = [
        pollfd(fd: file, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isCut ? -1 : cut.file, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&waiting, 2, isCut ? 0 : timeout)
      if waiting[1].revents != 0 { isCut = true }
      let isOverdue = sampleBegan.map { $0.duration(to: monotonicNow) >= Self.longestSample } ?? false
      if ready == 0 || isOverdue {
        decoder.settle()
        sampleBegan = nil
        guard handOn(&decoder) else { break }
        if isCut, ready == 0 { break }
        if ready == 0 { continue }
      }
      guard waiting[0].revents != 0 else {
        if isCut { continue }
        continue
      }
      let room = lines.room()
      let count = read(file, room.baseAddress, room.count)
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { continue }
        break
      }
      if count == 0 { break }
      signs.withLock { readCount &+= 1 }
      trace?.note(.plugin, UnsafeRawBufferPointer(rebasing: room[..<count]))
      lines.take(count)
      guard take(&lines, &decoder) else { return end(&decoder) }
      lines.shrink()
      if count < room.count { decoder.flush() }
      guard handOn(&decoder) else { return end(&decoder) }
    }
    // A last line may lack its end.
    if let line = lines.rest() { take(line, lines.limit, &decoder) }
    decoder.settle()
    _ = handOn(&decoder)
    end(&decoder)
  }

  private func end(_ decoder: inout ChildDecoder) {
    close(file)
    listener.end(decoder.isInsideReload)
  }

  /// Takes all lines that are there as a whole; false when nobody listens any more.
  private func take(_ lines: inout LineSplitter, _ decoder: inout ChildDecoder) -> Bool {
    while let line = lines.next() {
      take(line, lines.limit, &decoder)
      if decoder.hasEvents { guard handOn(&decoder) else { return false } }
    }
    return true
  }

  private func take(_ line: LineSplitter.Line, _ limit: Int, _ decoder: inout ChildDecoder) {
    switch line {
    case .whole(let bytes, let number): decoder.read(bytes, number: number)
    case .tooLong(let number): decoder.noteTooLong(number, limit: limit)
    }
  }

  private func handOn(_ decoder: inout ChildDecoder) -> Bool {
    for event in decoder.takeEvents() {
      switch event {
      case .hello(let hello):
        hasGreeted = true
        listener.greet(hello)
      case .schema(let schema):
        listener.learn(schema, hasGreeted)
        guard tell(.schema(schema)) else { return false }
        // It has no rows to tell, and what it was asked before it started anew may have other answers now.
        if schema.windowed != nil {
          guard tell(.sourceChanged) else { return false }
          listener.note(.ready)
        }
      case .columnsAdded(let schema):
        // Whether it takes settings was looked at when it told its first columns.
        listener.learn(schema, true)
        guard tell(.columnsAdded(schema)) else { return false }
      case .changes(let changes, let isWhole):
        guard tell(.changes(changes)) else { return false }
        if isWhole { listener.note(.ready) }
      // In order with the rows: the supervisor tells it on when it has heard of it.
      case .state(let state, let message): listener.note(.said(state, message: message))
      case .loaded(let key, let column, let cell): guard tell(.loaded(key, column: column, cell)) else { return false }
      case .notLoaded(let key, let column, let reason):
        guard tell(.notLoaded(key, column: column, reason: reason)) else { return false }
      case .forget(let key, let column): guard tell(.forget(key, column: column)) else { return false }
      case .page(let id, let page): guard tell(.page(id, page)) else { return false }
      case .sections(let id, let sections): guard tell(.sections(id, sections)) else { return false }
      case .pageFailed(let id, let reason): guard tell(.pageFailed(id, reason: reason)) else { return false }
      case .sourceChanged: guard tell(.sourceChanged) else { return false }
      case .image(let number, let outcome): guard tell(.image(number, outcome)) else { return false }
      case .acted(let number, let outcome): guard tell(.acted(number, outcome)) else { return false }
      case .refused(let reason): listener.note(.refused(reason))
      case .badLine(let reason): listener.note(.badLine(reason))
      case .badRow(let reason): listener.note(.badRow(reason))
      }
    }
    return true
  }

  private func tell(_ event: SourceEvent) -> Bool {
    signs.withLock { isWaiting = true }
    defer { signs.withLock { isWaiting = false } }
    return listener.tell(event)
  }
}
