import Foundation
import ListEngine
import Logging
import Threads

/// A recording file, written by its own thread so that a slow or full disk never blocks the
/// recorded engine.
///
/// Records that are not written yet wait in memory up to a limit, and failed writes are retried
/// every second. A partial record is cut off before a retry. The recording ends at the limit,
/// because a recording with a gap cannot be replayed.
public final class Recording: Sendable {
  /// The state of a recording.
  enum State: Hashable, Sendable {
    /// Records are being written without errors.
    case running
    /// The last write failed for this reason and will be retried.
    case failing(String)
    /// The recording has ended for this reason.
    case ended(String)
  }

  /// The maximum number of bytes that wait to be written.
  public static let greatestBacklog = 64 << 20
  static let retryPause = Duration.seconds(1)

  private struct Shared {
    var backlog: [UInt8] = []
    var state = State.running
    /// Whether writing has not been started yet.
    var isHeld = false
    var isClosing = false
    /// Whether the writer has taken bytes that are not in the file yet.
    var isWriting = false
  }

  private let epoch: String
  private let store: any RecordStore
  private let logger: Logger
  private let backlogLimit: Int
  private let monitor = Monitor()
  /// The state of the queue, protected by `monitor`.
  private nonisolated(unsafe) var shared = Shared()
  private let isDone = DispatchSemaphore(value: 0)

  /// Creates a recording in a new file, or replaces an older recording. Only the file's owner can
  /// read it, because rows may contain secrets.
  ///
  /// Nothing is written before ``begin()``, so a server that fails to start keeps the older
  /// recording.
  public convenience init(path: String, _ header: RecordingHeader, logger: Logger = Logger(label: "recording"))
    throws(RecordingError)
  {
    self.init(try FileStore(path: path), header, logger: logger, isHeld: true)
  }

  init(
    _ store: any RecordStore, _ header: RecordingHeader, logger: Logger = Logger(label: "recording"),
    backlogLimit: Int = Recording.greatestBacklog, isHeld: Bool = false
  ) {
    epoch = header.epoch
    self.store = store
    self.logger = logger
    self.backlogLimit = backlogLimit
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let contents = try? encoder.encode(header) else { preconditionFailure("encoding \(header) as JSON failed") }
    shared.backlog = RecordingHeader.magic + RecordingHeader.frame(Array(contents))
    shared.isHeld = isHeld
    let thread = Thread { [self] in write() }
    thread.name = "recording"
    thread.start()
  }

  /// Starts writing.
  public func begin() {
    monitor.withLock {
      shared.isHeld = false
      monitor.wakeAll()
    }
  }

  /// The current state.
  var state: State {
    monitor.withLock {
      return shared.state
    }
  }

  /// Waits for this state, and for ``State/running`` also until all records are written.
  ///
  /// - Returns: `false` on timeout.
  func wait(until state: State, within patience: Duration) -> Bool {
    monitor.withLock {
      monitor.wait(nanoseconds: UInt64(clamping: patience.nanoseconds)) {
        shared.state == state && (state != .running || !shared.isWriting && shared.backlog.isEmpty)
      }
    }
  }

  /// Adds a record without waiting for the disk.
  func note(_ record: Record) {
    let frame = RecordingHeader.frame(record.encoded)
    monitor.withLock {
      guard !shared.isClosing else { return }
      if case .ended = shared.state { return }
      guard shared.backlog.count + frame.count <= backlogLimit else {
        end("\(shared.backlog.count) bytes wait for the disk, and more may not")
        return
      }
      shared.backlog += frame
      monitor.wakeAll()
    }
  }

  /// Writes the remaining records and closes the file, with a limit on the waiting time.
  public func close(within patience: Duration = .seconds(2)) {
    monitor.withLock {
      shared.isClosing = true
      monitor.wakeAll()
    }
    _ = isDone.wait(timeout: .now() + .nanoseconds(Int(patience.nanoseconds)))
  }

  private func end(_ reason: String) {
    shared.state = .ended(reason)
    shared.backlog = []
    logger.error("the recording has ended: \(reason)")
    monitor.wakeAll()
  }

  // MARK: The writer's thread

  private func write() {
    defer { isDone.signal() }
    while let bytes = nextBytes() {
      do {
        try store.append(bytes)
        succeeded()
      } catch {
        guard failed("\(error)", bytes) else { break }
      }
    }
    store.close()
  }

  /// Waits for bytes to write; `nil` when the recording has ended.
  private func nextBytes() -> [UInt8]? {
    monitor.withLock {
      monitor.wait { !shared.isHeld && !shared.backlog.isEmpty || shared.isClosing || !shared.state.isAlive }
      guard shared.state.isAlive, !shared.backlog.isEmpty else { return nil }
      var bytes: [UInt8] = []
      swap(&bytes, &shared.backlog)
      shared.isWriting = true
      return bytes
    }
  }

  private func succeeded() {
    monitor.withLock {
      shared.isWriting = false
      monitor.wakeAll()
      guard case .failing = shared.state else { return }
      shared.state = .running
      logger.notice("the recording goes on")
    }
  }

  /// Puts unwritten bytes back into the queue, and waits before the retry.
  ///
  /// - Returns: `false` if there will be no retry.
  private func failed(_ reason: String, _ bytes: [UInt8]) -> Bool {
    monitor.withLock {
      guard shared.state.isAlive else { return false }
      guard bytes.count + shared.backlog.count <= backlogLimit else {
        end("\(reason), and what waits is more than \(backlogLimit) bytes")
        return false
      }
      shared.backlog = bytes + shared.backlog
      shared.isWriting = false
      if shared.state == .running { logger.error("writing the recording failed: \(reason); trying again") }
      shared.state = .failing(reason)
      monitor.wakeAll()
      // Closing does not wait for a full disk.
      guard !shared.isClosing else { return false }
      _ = monitor.wait(nanoseconds: UInt64(clamping: Self.retryPause.nanoseconds)) {
        shared.isClosing || !shared.state.isAlive
      }
      return true
    }
  }
}

extension Recording: EngineObserver {
  /// Records an event of the engine whose epoch the header names.
  ///
  /// Exports are left out, and so are the requests to sources that they cause: they do not affect
  /// the messages to clients.
  public func observe(_ event: EngineEvent, at now: Instant) {
    switch event {
    case .table(let schema): note(.table(schema, now))
    case .replacement(let table, let schema): note(.replacement(table, schema, now))
    case .interval(let interval): note(.interval(interval, now))
    case .input(let input): if !input.isForExport { note(.input(input, now)) }
    case .outputs(let outputs): note(.answer(AnswerDigest(outputs.filter { !$0.isForExport }, epoch: epoch), now))
    }
  }
}

extension Recording.State {
  fileprivate var isAlive: Bool {
    if case .ended = self { false } else { true }
  }
}
