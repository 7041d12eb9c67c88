import Glibc
import ListEngine
import SourceRuntime
import Threads

/// Reads the output of one child process on its own thread.
///
/// While the engine is behind, the reader does not read, the pipe fills, and the child waits. This
/// provides back-pressure.
final class ChildReader: @unchecked Sendable {
  /// The callbacks for the supervising side, called on the reader's thread.
  struct Listener: Sendable {
    /// Delivers an event and may wait.
    ///
    /// Returns false to stop reading.
    var report: @Sendable (SourceEvent) -> Bool
    /// Reports an input for the supervisor.
    var note: @Sendable (Supervisor.Input) -> Void
    /// Reports the child's hello.
    var noteHello: @Sendable (ChildHello) -> Void
    /// Reports the schema, and whether the child sent a hello before.
    var learn: @Sendable (Schema, Bool) -> Void
    /// Reports a schema that has more columns than the last one.
    var extend: @Sendable (Schema) -> Void
    /// Reports the end of the output, and whether it came in the middle of a reload.
    var end: @Sendable (Bool) -> Void
  }

  /// The pause in the input after which the received rows are considered complete for now.
  private static let quiet: Duration = .milliseconds(200)
  /// The longest time that rows wait for schema inference.
  private static let longestSample: Duration = .seconds(1)

  private let file: Int32
  private let listener: Listener
  private let trace: (any TraceListener)?
  private let cut: WakeFile
  private let signs = Monitor()
  // Guarded by `signs`.
  private var readCount = 0
  private var isWaiting = false
  // Used by the reader's thread only.
  private var isCut = false
  private var hasReceivedHello = false

  /// Creates a reader for the read end of a pipe, which it closes at the end.
  ///
  /// Returns `nil` when no file descriptor is left. The pipe then stays open.
  init?(_ file: Int32, _ listener: Listener, _ trace: (any TraceListener)? = nil) {
    guard let cut = WakeFile() else { return nil }
    self.file = file
    self.listener = listener
    self.trace = trace
    self.cut = cut
  }

  /// The number of reads so far, and whether an event is waiting to be delivered. [any thread]
  var signsOfLife: (count: Int, isWaiting: Bool) { signs.withLock { (readCount, isWaiting) } }

  /// Stops reading as soon as the pipe is empty. [any thread]
  func cutOff() { cut.wake() }

  /// Starts the thread, which retains the reader until its end.
  ///
  /// Returns false on failure.
  func start(_ name: String, decoder: consuming ChildDecoder) -> Bool {
    let guest = Guest(decoder)
    return startThread("in-\(name)") {
      beNice()
      self.run(guest.take())
    } == 0
  }

  /// Carries the noncopyable decoder to the thread.
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
        guard forward(&decoder) else { break }
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
      guard forward(&decoder) else { return end(&decoder) }
    }
    // The last line may lack a newline.
    if let line = lines.rest() { take(line, lines.limit, &decoder) }
    decoder.settle()
    _ = forward(&decoder)
    end(&decoder)
  }

  private func end(_ decoder: inout ChildDecoder) {
    close(file)
    listener.end(decoder.isInsideReload)
  }

  /// Decodes all complete lines; returns false when an event was refused.
  private func take(_ lines: inout LineSplitter, _ decoder: inout ChildDecoder) -> Bool {
    while let line = lines.next() {
      take(line, lines.limit, &decoder)
      if decoder.hasEvents { guard forward(&decoder) else { return false } }
    }
    return true
  }

  private func take(_ line: LineSplitter.Line, _ limit: Int, _ decoder: inout ChildDecoder) {
    switch line {
    case .whole(let bytes, let number): decoder.read(bytes, number: number)
    case .tooLong(let number): decoder.noteTooLong(number, limit: limit)
    }
  }

  private func forward(_ decoder: inout ChildDecoder) -> Bool {
    for event in decoder.takeEvents() {
      switch event {
      case .hello(let hello):
        hasReceivedHello = true
        listener.noteHello(hello)
      // Through the supervisor, which reports it in order with the rows.
      case .source(.state(let state, let message, _)): listener.note(.reported(state, message: message))
      case .source(let event): guard forward(event) else { return false }
      case .listed: listener.note(.ready)
      case .refused(let reason): listener.note(.refused(reason))
      case .badLine(let reason): listener.note(.badLine(reason))
      case .badRow(let reason): listener.note(.badRow(reason))
      }
    }
    return true
  }

  private func forward(_ event: SourceEvent) -> Bool {
    switch event {
    case .schema(let schema): listener.learn(schema, hasReceivedHello)
    case .columnsAdded(let schema): listener.extend(schema)
    default: break
    }
    guard report(event) else { return false }
    // A remote table has no rows to send. Answers given before a restart may be outdated.
    guard case .schema(let schema) = event, schema.windowed != nil else { return true }
    guard report(.sourceChanged) else { return false }
    listener.note(.ready)
    return true
  }

  private func report(_ event: SourceEvent) -> Bool {
    signs.withLock { isWaiting = true }
    defer { signs.withLock { isWaiting = false } }
    return listener.report(event)
  }
}
