import Glibc
import ListEngine
import SourceRuntime
import Threads

/// A source of the rows that clients send: by HTTP through the server, or to Unix sockets.
///
///     let source = PushSource(name: "jobs", options: TextOptions()) { event in
///       mailbox.put(event)        // may block, and senders are slowed down
///     }
///     try source.start()
///     source.send(.upload(.begin(1, UploadHead())))
///
/// The rows of all senders form one table with inferred columns.
package final class PushSource: RunningSource {
  private let name: String
  private let core: PushCore
  private let sockets: [PushSocket.Place]

  /// The maximum number of uploads and connections at the same time.
  package static let greatestSenderCount = 64

  /// Creates a source without starting it.
  ///
  /// - Parameters:
  ///   - sockets: The Unix sockets to listen on.
  ///   - events: Receives the events in order. It may wait. Returns false to stop the source.
  package init(
    name: String, options: TextOptions, sockets: [PushSocket.Place] = [],
    log: @escaping @Sendable (PluginLogLevel, String) -> Void = { _, _ in },
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.name = name
    self.sockets = sockets
    core = PushCore(name: name, options: options, log: log, events: events)
  }

  deinit { core.requestStop() }

  /// Opens the sockets and starts the thread.
  package func start() throws(PluginError) {
    var open: [PushSocket] = []
    for place in sockets {
      do throws(PushSocket.Failure) {
        open.append(try PushSocket(place))
      } catch {
        throw .badSetting(source: name, key: nil, message: "\(place.path): \(error.reason)")
      }
    }
    try core.start(open)
  }

  /// Stops the thread and waits; returns false when that took too long.
  @discardableResult public func stop(within bound: Duration) -> Bool {
    core.requestStop()
    return core.waitUntilFinished(within: bound)
  }

  /// Queues a part of an upload; other requests have no meaning for rows without a declared schema.
  package func send(_ request: SourceRequest) {
    if case .upload(let request) = request { core.put(request) }
  }
}

/// The queue and the state of a source's thread.
final class PushCore: @unchecked Sendable {
  private let name: String
  private let options: TextOptions
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool
  private let wake = WakeFile()
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var requests: [UploadRequest] = []
  private var isStopping = false
  private var runs = false

  init(
    name: String, options: TextOptions, log: @escaping @Sendable (PluginLogLevel, String) -> Void,
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.name = name
    self.options = options
    self.log = log
    self.events = events
  }

  func start(_ sockets: [PushSocket]) throws(PluginError) {
    guard let wake else { throw .noDescriptor(source: name) }
    monitor.withLock { runs = true }
    let reading = PushReading(name: name, options: options, sockets: sockets, wake: wake, log: log, events: events)
    let code = startThread("push-\(name)") { [self] in
      reading.run { takeRequests() }
      finish()
    }
    guard code == 0 else {
      finish()
      throw .noThread(source: name, code: code)
    }
  }

  /// Queues a request; joins bytes of the same upload. [any thread, never waits]
  ///
  /// The server bounds the bytes by waiting for ``UploadAnswer/taken(_:byteCount:)``.
  func put(_ request: UploadRequest) {
    let isLate = monitor.withLock {
      guard runs, !isStopping else { return true }
      if case .bytes(let id, let more) = request, case .bytes(id, var bytes)? = requests.last {
        requests.removeLast()
        bytes += more
        requests.append(.bytes(id, bytes))
      } else {
        requests.append(request)
      }
      return false
    }
    if isLate { return refuse([request]) }
    wake?.wake()
  }

  /// Returns the queued requests; `nil` when the source is stopping.
  private func takeRequests() -> [UploadRequest]? {
    monitor.withLock {
      guard !isStopping else { return nil }
      defer { requests = [] }
      return requests
    }
  }

  func requestStop() {
    monitor.withLock { isStopping = true }
    wake?.wake()
  }

  func waitUntilFinished(within bound: Duration) -> Bool {
    monitor.withLock { monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) { !runs } }
  }

  private func finish() {
    let rest = monitor.withLock {
      runs = false
      monitor.wakeAll()
      defer { requests = [] }
      return requests
    }
    refuse(rest)
  }

  /// Answers the requests that begin an upload, because the source takes nothing any more.
  private func refuse(_ requests: [UploadRequest]) {
    let ids = requests.compactMap { if case .begin(let id, _) = $0 { id } else { nil } }
    guard !ids.isEmpty else { return }
    // On a thread of its own, because delivering may wait and the caller must not.
    let events = events
    _ = startThread("push-end") {
      for id in ids { _ = events(.upload(.ended(id, UploadReport(failure: .unavailable(PushReading.stopped))))) }
    }
  }
}
