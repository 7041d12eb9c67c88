import CListPlugin
import ListEngine

/// What a shared library is asked to do: handed to it one by one, on a thread that is there while there is something to do.
///
///     let requestQueue = RequestQueue(name: "jobs", watch: watch) { event in ... }      // answers in the library's place
///     requestQueue.offer(actions, act)
///     requestQueue.open(instance, schema)                            // the table is there: it may be asked
///     requestQueue.send(.act(request))                               // any thread; never waits
///     requestQueue.close()                                           // comes back when the library is asked nothing any more
///
/// Each question has one answer, also when the library does not give it. What waits is bounded by what an engine asks at once, and by
/// ``PendingRequests/actionLimit``.
final class RequestQueue: @unchecked Sendable {
  /// Does an action.
  typealias Act = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<list_request>?) -> Void

  private let name: String
  private let note: UnsafePointer<CChar>?
  private let watch: CallWatch
  private let tell: @Sendable (SourceEvent) -> Void

  private let monitor = Monitor()
  // Under `monitor`.
  private var actions: [Action] = []
  private var act: Act?
  private var loader: LoaderReader.Loader?
  private var images: ImageGiver?
  private var instance: UnsafeMutableRawPointer?
  private var wishes: [SourceRequest] = []
  private var questions = PendingRequests()
  private var isWorking = false
  /// Whether the library is in the middle of a call.
  private var isInside = false

  /// - Parameters:
  ///   - note: What is written down when the library crashes.
  ///   - watch: Who names a call that does not come back.
  ///   - tell: Takes what is answered in the library's place; may wait. [a thread of ours]
  init(
    name: String, note: UnsafePointer<CChar>? = nil, watch: CallWatch, tell: @escaping @Sendable (SourceEvent) -> Void
  ) {
    self.name = name
    self.note = note
    self.watch = watch
    self.tell = tell
  }

  // MARK: What it can do

  /// False: it has offered some before.
  func offer(_ actions: [Action], _ act: @escaping Act) -> Bool {
    monitor.withLock {
      guard self.act == nil else { return false }
      self.actions = actions
      self.act = act
      return true
    }
  }

  /// False: it has offered one before.
  func offer(_ loader: LoaderReader.Loader) -> Bool {
    monitor.withLock {
      guard self.loader == nil else { return false }
      self.loader = loader
      return true
    }
  }

  /// False: it has offered one before.
  func offer(_ images: ImageGiver) -> Bool {
    monitor.withLock {
      guard self.images == nil else { return false }
      self.images = images
      return true
    }
  }

  /// Puts what was offered into the table's schema.
  func complete(_ schema: inout Schema) throws(LoaderReader.Fault) {
    let (actions, loader, images) = monitor.withLock { (self.actions, self.loader, self.images) }
    schema.actions = actions
    schema.loadsImages = images != nil
    try loader?.mark(&schema)
  }

  // MARK: What it is asked

  /// From now on this instance may be asked.
  func open(_ instance: UnsafeMutableRawPointer?) { monitor.withLock { self.instance = instance } }

  /// Begins nothing any more. [any thread, never waits]
  func shut() { monitor.withLock { instance = nil } }

  /// Begins nothing any more, and waits while the instance is in the middle of something.
  func close() {
    monitor.withLock {
      instance = nil
      _ = monitor.wait(nanoseconds: .max) { !isInside }
    }
  }

  /// Answers what the instance has left out. It is gone: no answer of its own can come any more.
  func answerTheRest() {
    for event in monitor.withLock({ questions.takeUnanswered("its source has ended") }) { tell(event) }
  }

  /// Takes a wish. [any thread, never waits]
  func send(_ wish: SourceRequest) {
    let mustBegin = monitor.withLock {
      wishes.append(wish)
      defer { isWorking = true }
      return !isWorking
    }
    guard mustBegin, startThread("ask-\(name)", { self.work() }) != 0 else { return }
    // Without a thread nothing can be asked, and the wishes wait for the next one.
    monitor.withLock { isWorking = false }
  }

  /// Notes an answer; false when it answers what was not asked, or was answered before.
  func answer(_ event: SourceEvent) -> Bool { monitor.withLock { questions.answer(event) } }

  // MARK: The thread

  private func work() {
    while let (wish, instance) = next() {
      guard let instance else {
        refuse(wish)
        continue
      }
      let (name, patience) = call(of: wish)
      watch.during(name, patience: patience) { CrashNotes.inside(note) { perform(wish, instance) } }
      monitor.withLock {
        isInside = false
        monitor.wakeAll()
      }
    }
  }

  /// The next wish, and whom to ask: `nil` when nobody can be asked. An instance that is handed out stays until it is given back.
  private func next() -> (SourceRequest, UnsafeMutableRawPointer?)? {
    monitor.withLock {
      guard !wishes.isEmpty else {
        isWorking = false
        return nil
      }
      let wish = wishes.removeFirst()
      guard let instance, note(wish) else { return (wish, nil) }
      isInside = true
      return (wish, instance)
    }
  }

  /// Notes what it is asked for; false when it cannot be asked that. Under `monitor`.
  private func note(_ wish: SourceRequest) -> Bool {
    switch wish {
    case .act(let request): return act != nil && questions.ask(request.id)
    case .load(let cells):
      guard loader != nil else { return false }
      questions.ask(cells)
      return true
    case .cancel: return loader != nil
    case .image(let number, _):
      guard images != nil else { return false }
      questions.ask(image: number)
      return true
    case .cancelImages: return images != nil
    case .ask, .cancelPages: return false
    }
  }

  /// What a wish has called, and how long that may take: an action as long as it has said, all else no longer than a call should.
  private func call(of wish: SourceRequest) -> (String, Duration) {
    switch wish {
    case .act(let request):
      let action = monitor.withLock { actions.first { $0.name == request.action } }
      return ("the action “\(request.action)”", max(CallWatch.patience, action?.patience ?? .zero))
    case .load, .image: return ("load", CallWatch.patience)
    case .cancel, .cancelImages: return ("cancel", CallWatch.patience)
    case .ask, .cancelPages: return ("query", CallWatch.patience)
    }
  }

  private func perform(_ wish: SourceRequest, _ instance: UnsafeMutableRawPointer) {
    let (act, loader, images) = monitor.withLock { (self.act, self.loader, self.images) }
    let cells = AskedCells()
    switch wish {
    case .act(let request):
      let arguments = request.arguments.map { cells.value($0.value) }
      arguments.withUnsafeBufferPointer { buffer in
        var asked = list_request(
          size: UInt32(MemoryLayout<list_request>.size), argument_count: UInt32(buffer.count), id: request.id,
          action: cells.text(request.action), key: cells.key(request.key), arguments: buffer.baseAddress)
        act?(instance, &asked)
      }
    case .load(let wanted): loader?.load(instance, wanted.map { cells.place($0) }, UInt32(wanted.count))
    case .cancel(let unwanted):
      let known = monitor.withLock { questions.cancel(unwanted) }
      guard !known.isEmpty else { break }
      loader?.cancel?(instance, known.map { cells.place($0) }, UInt32(known.count))
    case .image(let number, let key):
      var wanted = list_image(id: number, key: cells.bytes(key), length: UInt32(key.utf8.count), reserved: 0)
      images?.load(instance, &wanted)
    case .cancelImages(let numbers):
      let known = monitor.withLock { questions.cancel(images: numbers) }
      guard !known.isEmpty else { break }
      known.withUnsafeBufferPointer { images?.cancel?(instance, $0.baseAddress, UInt32($0.count)) }
    case .ask, .cancelPages: break
    }
    withExtendedLifetime(cells) {}
  }

  /// Answers in the library's place.
  private func refuse(_ wish: SourceRequest) {
    switch wish {
    case .act(let request):
      tell(.acted(request.id, .failed(.sourceDown, "its source does not run, or can do nothing")))
    case .load(let cells):
      for cell in cells { tell(.notLoaded(cell.key, column: cell.column, reason: "its source does not answer")) }
    case .ask(let requests):
      for request in requests { tell(.pageFailed(request.id, reason: "its source does not answer")) }
    case .image(let number, _): tell(.image(number, .sourceDown))
    case .cancel, .cancelPages, .cancelImages: break
    }
  }
}
