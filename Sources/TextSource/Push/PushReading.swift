import Glibc
import ListEngine
import SourceRuntime

/// The work of a pushed source's thread: it reads uploads and connections into one table.
final class PushReading: @unchecked Sendable {
  static let stopped = "the source stops"

  private let name: String
  private let options: TextOptions
  private let sockets: [PushSocket]
  private let wake: WakeFile
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool
  private var table: PushTable
  private var uploads: [UInt64: PushedText] = [:]
  private var connections: [PushConnection] = []
  private var samplingSince: Instant?
  /// The time of the last request, bytes or connection.
  private var lastArrival = Instant.zero
  /// The time of the first change that is not emitted yet.
  private var changedSince: Instant?
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// The pause of all senders after which the columns are inferred.
  private static let quiet: Duration = .milliseconds(200)
  /// The pause after which changes are emitted, which is shorter than ``quiet``.
  private static let batchPause: Duration = .milliseconds(2)
  /// The maximum time that a change waits for others.
  private static let longestBatch: Duration = .milliseconds(20)
  /// The time after the first row when the columns are inferred even without a pause.
  private static let longest: Duration = .seconds(1)

  init(
    name: String, options: TextOptions, sockets: [PushSocket], wake: WakeFile,
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.name = name
    self.options = options
    self.sockets = sockets
    self.wake = wake
    self.log = log
    self.events = events
    table = PushTable(name: name, options: options, events: events)
  }

  /// Processes requests and connections until the source stops.
  ///
  /// - Parameter next: Returns the queued requests, or `nil` to stop.
  func run(next: () -> [UploadRequest]?) {
    defer {
      endAll()
      // Before the source counts as stopped, because the next instance opens the same paths.
      for socket in sockets { socket.close() }
    }
    guard events(.state(.starting, message: "no rows yet: send them to /ingest/\(name)")) else { return }
    while let requests = next() {
      for request in requests { guard handle(request) else { return } }
      for socket in sockets { guard handle(socket) else { return } }
      guard flushIfDue() else { return }
      wait()
      guard settleIfQuiet() else { return }
    }
  }

  // MARK: Waiting

  private var isSampling: Bool {
    table.isSampling || uploads.values.contains(where: \.isSampling) || connections.contains(where: \.text.isSampling)
      || sockets.contains { $0.datagrams?.isSampling ?? false }
  }

  /// Emits the changes that have waited long enough; returns false when an event was refused.
  ///
  /// libwebsockets passes bodies on in pieces of 4 KiB, so a changeset of each would be small.
  private func flushIfDue() -> Bool {
    guard table.hasChanges else {
      changedSince = nil
      return true
    }
    let since = changedSince ?? monotonicNow
    changedSince = since
    guard isQuiet || since.duration(to: monotonicNow) >= Self.longestBatch else { return true }
    changedSince = nil
    return table.flush()
  }

  /// Waits for a request, for bytes of a socket, or until the inference or a batch is due.
  private func wait() {
    var timeout: Int32 = -1
    if isSampling {
      let since = samplingSince ?? monotonicNow
      samplingSince = since
      let now = monotonicNow
      let due = min(lastArrival.advanced(by: Self.quiet), since.advanced(by: Self.longest))
      let rest = now.duration(to: due)
      // Rounded up, because waking early would only cause another wait.
      timeout = Int32(clamping: (max(0, rest.nanoseconds) + 999_999) / 1_000_000)
    }
    if changedSince != nil { timeout = Int32(Self.batchPause.nanoseconds / 1_000_000) }
    let hasRoom = uploads.count + connections.count < PushSource.greatestSenderCount
    var files = [pollfd(fd: wake.file, events: Int16(POLLIN), revents: 0)]
    files += sockets.map {
      pollfd(fd: $0.place.isDatagram || hasRoom ? $0.file : -1, events: Int16(POLLIN), revents: 0)
    }
    files += connections.map { pollfd(fd: $0.file, events: Int16(POLLIN), revents: 0) }
    isQuiet = poll(&files, nfds_t(files.count), timeout) == 0
    if !isQuiet { lastArrival = monotonicNow }
    wake.clear()
    for (socket, file) in zip(sockets, files.dropFirst()) { socket.isReady = file.revents != 0 }
    for (connection, file) in zip(connections, files.dropFirst(1 + sockets.count)) {
      connection.isReady = file.revents != 0
    }
  }

  /// Whether the last wait ended without a request, bytes or a connection.
  private var isQuiet = false

  /// Runs pending inference after a pause; returns false when an event was refused.
  private func settleIfQuiet() -> Bool {
    guard isSampling else {
      samplingSince = nil
      return true
    }
    let now = monotonicNow
    let isDue =
      lastArrival.duration(to: now) >= Self.quiet
      || samplingSince.map { $0.duration(to: now) >= Self.longest } ?? false
    guard isDue else { return true }
    samplingSince = nil
    for text in Array(uploads.values) + connections.map(\.text) + sockets.compactMap(\.datagrams) {
      table.add(text.settle(), of: text)
    }
    table.settle()
    return table.flush()
  }

  // MARK: Uploads

  private func handle(_ request: UploadRequest) -> Bool {
    switch request {
    case .begin(let id, let head):
      let text = PushedText(id: id, head, options: options)
      guard uploads.count + connections.count < PushSource.greatestSenderCount else {
        return answer(text, failure: .unavailable("it has \(PushSource.greatestSenderCount) senders already"))
      }
      if head.replaces { guard table.flush() else { return false } }
      if let reason = table.begin(text) { return answer(text, failure: reason) }
      uploads[id] = text
      return true
    case .bytes(let id, let bytes):
      guard let text = uploads[id] else { return true }
      guard bytes.withUnsafeBytes({ take($0, of: text) }) else { return false }
      return events(.upload(.taken(id, byteCount: bytes.count)))
    case .end(let id, _), .abandon(let id):
      guard let text = uploads.removeValue(forKey: id) else {
        // An upload to a former instance must get an answer. The server ignores other answers.
        return events(.upload(.ended(id, UploadReport(failure: .unavailable(Self.stopped)))))
      }
      guard case .end(_, let isWhole) = request else { return end(text, isWhole: false) }
      guard end(text, isWhole: isWhole) else { return false }
      return answer(text)
    }
  }

  private func answer(_ text: PushedText, failure: UploadReport.Failure? = nil) -> Bool {
    text.id.map { events(.upload(.ended($0, text.finish(failure: failure)))) } ?? true
  }

  /// Reads bytes piece by piece, so that no changeset becomes too long; returns false when an event
  /// was refused.
  private func take(_ bytes: UnsafeRawBufferPointer, of text: PushedText) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 << 16)
      table.add(text.read(UnsafeRawBufferPointer(rebasing: piece)), of: text)
      if table.isFull { guard table.flush() else { return false } }
      rest = rest.dropFirst(piece.count)
    }
    return true
  }

  private func end(_ text: PushedText, isWhole: Bool) -> Bool {
    table.end(text, isWhole: isWhole)
    return table.flush()
  }

  /// Puts the rows that have arrived into the table, and answers all uploads.
  private func endAll() {
    for text in Array(uploads.values) + connections.map(\.text) + sockets.compactMap(\.datagrams) {
      guard end(text, isWhole: false), answer(text, failure: .unavailable(Self.stopped)) else { return }
    }
    _ = table.flush()
  }

  // MARK: Sockets

  /// Reads what has arrived at a socket and its connections; returns false when an event was
  /// refused.
  private func handle(_ socket: PushSocket) -> Bool {
    if socket.place.isDatagram { return !socket.isReady || readDatagrams(of: socket) }
    if socket.isReady, let file = socket.accept() {
      connections.append(PushConnection(file, PushedText(id: nil, UploadHead(), options: options)))
    }
    for connection in connections where connection.isReady {
      connection.isReady = false
      let count = read(connection.file, &buffer, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count > 0 {
        guard buffer.withUnsafeBytes({ take(UnsafeRawBufferPointer(rebasing: $0[..<count]), of: connection.text) })
        else { return false }
        continue
      }
      connections.removeAll { $0 === connection }
      guard end(connection.text, isWhole: true) else { return false }
      let report = connection.text.finish()
      note(report, of: "a connection to \(socket.place.path)")
      connection.send(report)
    }
    return true
  }

  private func readDatagrams(of socket: PushSocket) -> Bool {
    socket.isReady = false
    let text = socket.datagrams ?? PushedText(id: nil, UploadHead(), options: options)
    socket.datagrams = text
    // Bounded, because uploads wait meanwhile.
    for _ in 0..<64 {
      let count = recv(socket.file, &buffer, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
      guard count >= 0 else { break }
      guard count <= buffer.count else {
        log(.warning, "a datagram of \(count) bytes is left out: one has at most \(buffer.count)")
        continue
      }
      guard buffer.withUnsafeBytes({ take(UnsafeRawBufferPointer(rebasing: $0[..<count]), of: text) }) else {
        return false
      }
      table.add(text.endLine(), of: text)
    }
    guard text.report.faults > 0 || text.refusal != nil else { return true }
    note(text.refusal == nil ? text.report : text.finish(), of: socket.place.path)
    text.report = UploadReport()
    // Datagrams that are not text cost themselves only.
    if text.refusal != nil { socket.datagrams = nil }
    return true
  }

  private func note(_ report: UploadReport, of sender: String) {
    guard report.faults > 0 || report.failure != nil else { return }
    let reason = report.failure?.reason ?? report.reasons.first ?? ""
    log(.warning, "\(sender): \(report.accepted) rows taken, \(report.faults) faults; the first: \(reason)")
  }
}
