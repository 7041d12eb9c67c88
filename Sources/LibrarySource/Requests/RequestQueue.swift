import CListPlugin
import DequeModule
import ListEngine
import SourceRuntime
import Threads

/// A serial request queue of a shared library; its thread exits when the queue is empty.
///
///     let requestQueue = RequestQueue(name: "jobs", watch: watch) { event in ... }
///     requestQueue.offer(actions, act)
///     requestQueue.open(instance)        // the schema is declared: requests may begin
///     requestQueue.send(.act(request))   // any thread; never waits
///     requestQueue.close()               // waits for the call in progress
///
/// Each request gets one answer, even if the library does not give it. The queue is bounded by the
/// number of requests that an engine makes at once, and by ``PendingRequests/actionLimit``.
final class RequestQueue: @unchecked Sendable {
  /// The library's function that runs an action.
  typealias Act = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<list_request>?) -> Void

  private let name: String
  private let note: UnsafePointer<CChar>?
  private let watch: CallWatchdog
  private let report: @Sendable (SourceEvent) -> Void

  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var actions: [Action] = []
  private var act: Act?
  private var loader: LoaderReader.Loader?
  private var images: ImageCallbacks?
  private var instance: UnsafeMutableRawPointer?
  private var requests: Deque<SourceRequest> = []
  private var pending = PendingRequests()
  private var isWorking = false
  /// Whether a call into the library is in progress.
  private var isInside = false

  /// Creates a closed queue.
  ///
  /// - Parameters:
  ///   - note: The note to write when the library crashes.
  ///   - watch: The watchdog that reports calls that hang.
  ///   - report: Receives answers given on the library's behalf. May wait. [a thread of the host]
  init(
    name: String, note: UnsafePointer<CChar>? = nil, watch: CallWatchdog,
    report: @escaping @Sendable (SourceEvent) -> Void
  ) {
    self.name = name
    self.note = note
    self.watch = watch
    self.report = report
  }

  // MARK: Offers

  /// Registers the library's actions; returns false when it has offered some before.
  func offer(_ actions: [Action], _ act: @escaping Act) -> Bool {
    monitor.withLock {
      guard self.act == nil else { return false }
      self.actions = actions
      self.act = act
      return true
    }
  }

  /// Registers the library's loader; returns false when it has offered one before.
  func offer(_ loader: LoaderReader.Loader) -> Bool {
    monitor.withLock {
      guard self.loader == nil else { return false }
      self.loader = loader
      return true
    }
  }

  /// Registers the library's image loader; returns false when it has offered one before.
  func offer(_ images: ImageCallbacks) -> Bool {
    monitor.withLock {
      guard self.images == nil else { return false }
      self.images = images
      return true
    }
  }

  /// Adds the library's offers to the table's schema.
  func complete(_ schema: inout Schema) throws(LoaderReader.Fault) {
    let (actions, loader, images) = monitor.withLock { (self.actions, self.loader, self.images) }
    schema.actions = actions
    schema.loadsImages = images != nil
    try loader?.mark(&schema)
  }

  // MARK: Requests

  /// Opens the queue for an instance.
  func open(_ instance: UnsafeMutableRawPointer?) { monitor.withLock { self.instance = instance } }

  /// Starts no further requests. [any thread, never waits]
  func shut() { monitor.withLock { instance = nil } }

  /// Starts no further requests, and waits for the call in progress.
  func close() {
    monitor.withLock {
      instance = nil
      _ = monitor.wait(nanoseconds: .max) { !isInside }
    }
  }

  /// Answers all pending requests with failures, because the instance is destroyed.
  func answerTheRest() {
    for event in monitor.withLock({ pending.takeUnanswered("its source has ended") }) { report(event) }
  }

  /// Adds a request. [any thread, never waits]
  func send(_ request: SourceRequest) {
    let mustBegin = monitor.withLock {
      requests.append(request)
      defer { isWorking = true }
      return !isWorking
    }
    guard mustBegin, startThread("ask-\(name)", { self.work() }) != 0 else { return }
    // Without a thread the requests stay queued until the next call.
    monitor.withLock { isWorking = false }
  }

  /// Removes the request that an event answers; returns false when the event must be dropped.
  func answer(_ event: SourceEvent) -> Bool { monitor.withLock { pending.answer(event) } }

  // MARK: The thread

  private func work() {
    while let (request, instance) = next() {
      guard let instance else {
        refuse(request)
        continue
      }
      let (name, patience) = call(of: request)
      watch.during(name, patience: patience) { CrashNotes.inside(note) { perform(request, instance) } }
      monitor.withLock {
        isInside = false
        monitor.wakeAll()
      }
    }
  }

  /// Returns the next request with the instance to call; `nil` when the queue is empty.
  ///
  /// The instance is `nil` when the request must be refused. Otherwise it stays valid until
  /// `isInside` is cleared.
  private func next() -> (SourceRequest, UnsafeMutableRawPointer?)? {
    monitor.withLock {
      guard let request = requests.popFirst() else {
        isWorking = false
        return nil
      }
      guard let instance, note(request) else { return (request, nil) }
      isInside = true
      return (request, instance)
    }
  }

  /// Records a pending request; returns false when the library does not support it.
  ///
  /// Requires `monitor`.
  private func note(_ request: SourceRequest) -> Bool {
    switch request {
    case .act(let request): return act != nil && pending.ask(request.id)
    case .load(let cells):
      guard loader != nil else { return false }
      pending.ask(cells)
      return true
    case .cancel: return loader != nil
    case .image(let number, _):
      guard images != nil else { return false }
      pending.ask(image: number)
      return true
    case .cancelImages: return images != nil
    case .ask, .cancelBlocks, .upload: return false
    }
  }

  /// Returns the name and the timeout of a request's call.
  ///
  /// Actions may declare longer timeouts.
  private func call(of request: SourceRequest) -> (String, Duration) {
    switch request {
    case .act(let request):
      let action = monitor.withLock { actions.first { $0.name == request.action } }
      return ("the action “\(request.action)”", max(CallWatchdog.patience, action?.patience ?? .zero))
    case .load, .image: return ("load", CallWatchdog.patience)
    case .cancel, .cancelImages: return ("cancel", CallWatchdog.patience)
    case .ask, .cancelBlocks, .upload: return ("query", CallWatchdog.patience)
    }
  }

  private func perform(_ request: SourceRequest, _ instance: UnsafeMutableRawPointer) {
    let (act, loader, images) = monitor.withLock { (self.act, self.loader, self.images) }
    let memory = RequestMemory()
    switch request {
    case .act(let request):
      let arguments = request.arguments.map { memory.value($0.value) }
      arguments.withUnsafeBufferPointer { buffer in
        var request = list_request(
          size: UInt32(MemoryLayout<list_request>.size), argument_count: UInt32(buffer.count), id: request.id,
          action: memory.text(request.action), key: memory.key(request.key), arguments: buffer.baseAddress)
        act?(instance, &request)
      }
    case .load(let wanted): loader?.load(instance, wanted.map { memory.place($0) }, UInt32(wanted.count))
    case .cancel(let unwanted):
      let known = monitor.withLock { pending.cancel(unwanted) }
      guard !known.isEmpty else { break }
      loader?.cancel?(instance, known.map { memory.place($0) }, UInt32(known.count))
    case .image(let number, let key):
      var wanted = list_image(id: number, key: memory.bytes(key), length: UInt32(key.utf8.count), reserved: 0)
      images?.load(instance, &wanted)
    case .cancelImages(let numbers):
      let known = monitor.withLock { pending.cancel(images: numbers) }
      guard !known.isEmpty else { break }
      known.withUnsafeBufferPointer { images?.cancel?(instance, $0.baseAddress, UInt32($0.count)) }
    case .ask, .cancelBlocks, .upload: break
    }
    withExtendedLifetime(memory) {}
  }

  /// Answers on the library's behalf.
  private func refuse(_ request: SourceRequest) {
    switch request {
    case .act(let request):
      report(.acted(request.id, .failed(.sourceDown, "its source does not run, or can do nothing")))
    case .load(let cells):
      for cell in cells { report(.notLoaded(cell.key, column: cell.column, reason: "its source does not answer")) }
    case .ask(let requests):
      for request in requests { report(.pageFailed(request.id, reason: "its source does not answer")) }
    case .image(let number, _): report(.image(number, .sourceDown))
    case .upload(let request): report(.refusing(request))
    case .cancel, .cancelBlocks, .cancelImages: break
    }
  }
}
