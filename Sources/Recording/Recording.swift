import Foundation
import ListEngine
import Logging
import Synchronization

/// A file that is written while something goes on: whole records only, on a thread of its own, so that a slow or full disk never holds up
/// who is recorded.
///
/// What cannot be written waits in memory, up to a bound, and is tried again every second; what was written of half a record is cut off
/// before. When even the bound is reached the recording has ended: what comes after a gap could not be replayed.
public final class Recording: Sendable {
  /// How a recording is doing.
  public enum State: Hashable, Sendable {
    /// All is written, or about to be.
    case running
    /// The last write failed for this reason; it is tried again.
    case failing(String)
    /// It is over, for this reason.
    case ended(String)
  }

  /// So many bytes wait at most.
  public static let greatestBacklog = 64 << 20
  static let retryPause: TimeInterval = 1

  private struct Shared {
    var backlog: [UInt8] = []
    var state = State.running
    /// Nothing is written yet.
    var isHeld = false
    var isClosing = false
    /// Whether the writer has taken bytes that are not in the file yet.
    var isWriting = false
  }

  private let store: any RecordStore
  private let logger: Logger
  private let backlogLimit: Int
  private let condition = NSCondition()
  /// Belongs to whoever holds the condition's lock.
  private nonisolated(unsafe) var shared = Shared()
  private let isDone = DispatchSemaphore(value: 0)

  /// A recording in a new file, or in place of another recording. Only its owner may read it: rows may be anybody's secrets.
  ///
  /// Until ``begin()`` nothing is written: a server that does not start loses no recording of an earlier one.
  public convenience init(path: String, _ header: RecordingHeader, logger: Logger = Logger(label: "recording"))
    throws(RecordingError)
  {
    self.init(try FileStore(path: path), header, logger: logger, isHeld: true)
  }

  init(
    _ store: any RecordStore, _ header: RecordingHeader, logger: Logger = Logger(label: "recording"),
    backlogLimit: Int = Recording.greatestBacklog, isHeld: Bool = false
  ) {
    self.store = store
    self.logger = logger
    self.backlogLimit = backlogLimit
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let contents = try? encoder.encode(header) else { preconditionFailure("\(header) cannot be written") }
    shared.backlog = RecordingHeader.magic + RecordingHeader.frame(Array(contents))
    shared.isHeld = isHeld
    let thread = Thread { [self] in write() }
    thread.name = "recording"
    thread.start()
  }

  /// From now on it is written.
  public func begin() {
    condition.lock()
    defer { condition.unlock() }
    shared.isHeld = false
    condition.broadcast()
  }

  /// How it is doing.
  public var state: State {
    condition.lock()
    defer { condition.unlock() }
    return shared.state
  }

  /// Waits until it is in this state, with everything written if that is ``State/running``; `false` when that takes too long.
  func wait(until state: State, within seconds: TimeInterval) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: seconds)
    while shared.state != state || state == .running && (shared.isWriting || !shared.backlog.isEmpty) {
      guard condition.wait(until: end) else { return false }
    }
    return true
  }

  /// Keeps a record; never waits for the disk.
  func note(_ record: Record) {
    let frame = RecordingHeader.frame(record.encoded)
    condition.lock()
    defer { condition.unlock() }
    guard !shared.isClosing else { return }
    if case .ended = shared.state { return }
    guard shared.backlog.count + frame.count <= backlogLimit else {
      end("\(shared.backlog.count) bytes wait for the disk, and more may not")
      return
    }
    shared.backlog += frame
    condition.broadcast()
  }

  /// Writes what waits, and closes the file; waits for it, but not for long.
  public func close(within patience: Duration = .seconds(2)) {
    condition.lock()
    shared.isClosing = true
    condition.broadcast()
    condition.unlock()
    _ = isDone.wait(timeout: .now() + .nanoseconds(Int(patience.nanoseconds)))
  }

  private func end(_ reason: String) {
    shared.state = .ended(reason)
    shared.backlog = []
    logger.error("the recording has ended: \(reason)")
    condition.broadcast()
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

  /// Waits for something to write; `nil` when it is over.
  private func nextBytes() -> [UInt8]? {
    condition.lock()
    defer { condition.unlock() }
    while shared.isHeld || shared.backlog.isEmpty, !shared.isClosing, shared.state.isAlive { condition.wait() }
    guard shared.state.isAlive, !shared.backlog.isEmpty else { return nil }
    var bytes: [UInt8] = []
    swap(&bytes, &shared.backlog)
    shared.isWriting = true
    return bytes
  }

  private func succeeded() {
    condition.lock()
    defer { condition.unlock() }
    shared.isWriting = false
    condition.broadcast()
    guard case .failing = shared.state else { return }
    shared.state = .running
    logger.notice("the recording goes on")
  }

  /// Puts back what could not be written, and waits before it is tried again.
  ///
  /// - Returns: `false` when it is not.
  private func failed(_ reason: String, _ bytes: [UInt8]) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard shared.state.isAlive else { return false }
    guard bytes.count + shared.backlog.count <= backlogLimit else {
      end("\(reason), and what waits is more than \(backlogLimit) bytes")
      return false
    }
    shared.backlog = bytes + shared.backlog
    shared.isWriting = false
    if shared.state == .running { logger.error("the recording cannot be written: \(reason); trying again") }
    shared.state = .failing(reason)
    condition.broadcast()
    // Who closes does not wait for a disk that is full.
    guard !shared.isClosing else { return false }
    let next = Date(timeIntervalSinceNow: Self.retryPause)
    while !shared.isClosing, shared.state.isAlive, condition.wait(until: next) {}
    return true
  }
}

extension Recording.State {
  fileprivate var isAlive: Bool {
    if case .ended = self { false } else { true }
  }
}
