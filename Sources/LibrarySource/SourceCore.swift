import CListPlugin
import Glibc
import ListEngine
import SourceRuntime
import Threads

/// The implementation of a source: the plugin's instance, the host functions, and the shared state.
///
/// There are two locks. `turn` is held while events are delivered, so that they are ordered even
/// when a plugin pushes from several threads. A plugin may wait for it for a long time. `monitor`
/// guards the state and is held only briefly. A thread that holds `monitor` must neither take
/// `turn` nor call the plugin.
final class SourceCore: @unchecked Sendable {
  let library: PluginLibrary
  let name: String
  private let table: String?
  private let configuration: [String: String]
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool
  private let host = UnsafeMutablePointer<list_host>.allocate(capacity: 1)
  /// The requests to the plugin.
  let requestQueue: RequestQueue
  private let watch: CallWatchdog

  private let turn = Monitor()
  // Guarded by `turn`.
  private var schema: Schema?
  var presentation: PresentationReader.Presentation?
  var view: ViewReader.View?
  private var isReloading = false
  private var state = SourceState.starting
  private var hasRows = false

  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var wasStarted = false
  private var isStopping = false
  private var hasCalledStop = false
  private var isInsideStop = false
  private var isFinished = false
  private var instance: UnsafeMutableRawPointer?
  private var known: Schema?
  private var failure: (key: String?, message: String)?
  private var rejectedCount = 0
  private var lastRejection = ""
  private var nextLoggedRejection = 1

  init(
    library: PluginLibrary, name: String, table: String?, configuration: [String: String],
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.library = library
    self.name = name
    self.table = table
    self.configuration = configuration
    self.log = log
    self.events = events
    // Answers are delivered even while the source is stopping, because callers wait for them.
    watch = CallWatchdog(name: name) { log(.error, $0) }
    requestQueue = RequestQueue(name: name, note: library.note, watch: CallWatchdog(name: name) { log(.error, $0) }) {
      [turn] event in _ = turn.withLock { events(event) }
    }
    host.initialize(to: list_host())
    host.pointee.version = LIST_PLUGIN_VERSION
    host.pointee.size = UInt32(MemoryLayout<list_host>.size)
    host.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    host.pointee.declare = { context, schema in
      SourceCore.of(context)?.declare(schema) ?? SourceCore.refused
    }
    host.pointee.push = { context, batch in
      SourceCore.of(context)?.push(batch) ?? SourceCore.refused
    }
    host.pointee.wait = { context, nanoseconds in
      SourceCore.of(context)?.wait(nanoseconds) ?? SourceCore.stopping
    }
    host.pointee.set_state = { context, state, message in SourceCore.of(context)?.setState(state, message) }
    host.pointee.fail = { context, key, message in SourceCore.of(context)?.fail(key, message) }
    host.pointee.log = { context, level, message in SourceCore.of(context)?.write(level, message) }
    host.pointee.get_extension = { _, name in ExtensionTables.table(name) }
  }

  deinit { host.deallocate() }

  private static let ok = Int32(LIST_OK.rawValue)
  private static let stopping = Int32(LIST_STOPPING.rawValue)
  static let refused = Int32(LIST_REFUSED.rawValue)

  static func of(_ context: UnsafeMutableRawPointer?) -> SourceCore? {
    context.map { Unmanaged<SourceCore>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Called by the host

  func start() throws(PluginError) {
    monitor.withLock {
      precondition(!wasStarted, "source \(name) was started before; make another one")
      wasStarted = true
    }
    do {
      let instance = try make()
      monitor.withLock { self.instance = instance }
    } catch {
      monitor.withLock { isFinished = true }
      throw error
    }

    // The thread retains this object until the plugin's instance is destroyed, because the instance
    // uses `host`.
    let retained = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { raw in
        let core = Unmanaged<SourceCore>.fromOpaque(raw!).takeRetainedValue()
        core.runThread()
        return nil
      }, retained.toOpaque())
    guard code == 0 else {
      retained.release()
      destroy()
      throw .noThread(source: name, code: code)
    }
    pthread_detach(thread)
  }

  /// Runs a plugin call that should return quickly, under the watchdog.
  ///
  /// One call at a time.
  private func inside<Result>(_ call: String, _ body: () -> Result) -> Result {
    watch.during(call) { CrashNotes.inside(library.note, body) }
  }

  /// Creates and configures an instance.
  private func make() throws(PluginError) -> UnsafeMutableRawPointer {
    let plugin = library.plugin
    guard let instance = inside("create", { plugin.pointee.create(plugin, host) }) else {
      throw .notCreated(source: name, message: takeFailure()?.message ?? "")
    }
    do {
      try configure(instance)
    } catch {
      inside("destroy") { plugin.pointee.destroy(instance) }
      throw error
    }
    return instance
  }

  private func configure(_ instance: UnsafeMutableRawPointer) throws(PluginError) {
    let settings = configuration.sorted { $0.key < $1.key }
    for (key, value) in settings where key.isEmpty || key.utf8.contains(0) || value.utf8.contains(0) {
      throw .badSetting(source: name, key: key, message: "a key must not be empty, and neither part can hold a NUL")
    }
    guard let configure = library.plugin.pointee.configure else {
      guard let first = settings.first else { return }
      throw .badSetting(source: name, key: first.key, message: "the plugin \(library.name) has no settings")
    }
    var texts: [UnsafeMutablePointer<CChar>] = []
    defer { texts.forEach { free($0) } }
    func keep(_ text: String) -> UnsafePointer<CChar> {
      let copy = strdup(text)!
      texts.append(copy)
      return UnsafePointer(copy)
    }
    let list = settings.map { list_setting(key: keep($0.key), value: keep($0.value)) }
    let result = inside("configure") {
      list.withUnsafeBufferPointer { configure(instance, $0.baseAddress, $0.count) }
    }
    guard result != 0 else { return }
    let failure = takeFailure()
    throw .badSetting(
      source: name, key: failure?.key,
      message: failure?.message ?? "the plugin refuses its configuration without a word")
  }

  /// Runs the plugin and ends the source; the main function of the source's thread.
  private func runThread() {
    nameThread()
    // `run` may take any amount of time, so the watchdog does not cover it.
    let result = CrashNotes.inside(library.note) { library.plugin.pointee.run(instance) }
    let failure = takeFailure()
    let wasStopRequested = monitor.withLock { isStopping }
    if result != 0 {
      let message = failure?.message ?? "the plugin ended with code \(result)"
      if wasStopRequested {
        log(.warning, "while stopping: \(message)")
      } else {
        deliver(.failed, message)
      }
    } else if !wasStopRequested {
      deliver(.live, "Complete")
    }
    destroy()
  }

  /// Sets the thread's name, for `top -H`.
  ///
  /// Written through a file, because the GNU function `pthread_setname_np` is not visible here.
  private func nameThread() {
    let file = open("/proc/thread-self/comm", O_WRONLY)
    guard file >= 0 else { return }
    let text = Array("src-\(name)".utf8.prefix(15))
    _ = Glibc.write(file, text, text.count)
    close(file)
  }

  private func destroy() {
    // Cleared first, so that no thread calls `stop` on a destroyed instance or is still inside
    // `stop`.
    let instance = monitor.withLock {
      let instance = self.instance
      self.instance = nil
      _ = monitor.wait(nanoseconds: .max) { !isInsideStop }
      return instance
    }
    requestQueue.close()
    if let instance { inside("destroy") { library.plugin.pointee.destroy(instance) } }
    requestQueue.answerTheRest()
    monitor.withLock {
      isFinished = true
      monitor.wakeAll()
    }
  }

  func requestStop() {
    requestQueue.shut()
    let instance: UnsafeMutableRawPointer? = monitor.withLock {
      isStopping = true
      monitor.wakeAll()
      guard !isInsideStop, !hasCalledStop, self.instance != nil else { return nil }
      isInsideStop = true
      hasCalledStop = true
      return self.instance
    }
    guard let instance else { return }
    CrashNotes.inside(library.note) { library.plugin.pointee.stop?(instance) }
    monitor.withLock {
      isInsideStop = false
      monitor.wakeAll()
    }
  }

  func waitUntilFinished(within bound: Duration) -> Bool {
    let (seconds, attoseconds) = bound.components
    let nanoseconds =
      bound <= .zero ? 0 : UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
    return monitor.withLock {
      guard wasStarted else { return true }
      return monitor.wait(nanoseconds: seconds > 1_000_000_000 ? .max : nanoseconds) { isFinished }
    }
  }

  /// Sends a request to the plugin. [any thread, never waits]
  func send(_ request: SourceRequest) { requestQueue.send(request) }

  var rejections: (count: Int, last: String) { monitor.withLock { (rejectedCount, lastRejection) } }

  private func takeFailure() -> (key: String?, message: String)? {
    monitor.withLock {
      defer { failure = nil }
      return failure
    }
  }

  // MARK: Called by the plugin

  private func declare(_ pointer: UnsafePointer<list_schema>?) -> Int32 {
    turn.withLock {
      guard !isStopRequested else { return Self.stopping }
      guard schema == nil else { return refuse("declare: the schema was declared before") }
      do throws(SchemaReader.Fault) {
        var (schema, warnings) = try SchemaReader.read(pointer)
        for warning in warnings { log(.warning, "declare: \(warning)") }
        if let table {
          if schema.title == schema.name { schema.title = table }
          schema.name = table
        }
        do throws(LoaderReader.Fault) {
          try requestQueue.complete(&schema)
        } catch {
          throw SchemaReader.Fault(error.reason)
        }
        try presentation?.complete(&schema)
        try view?.complete(&schema)
        // Before the schema is delivered, because requests may arrive as soon as the table is
        // known.
        let instance = monitor.withLock {
          known = schema
          return self.instance
        }
        requestQueue.open(instance)
        guard events(.schema(schema)) else { return noteStopping() }
        self.schema = schema
        return Self.ok
      } catch {
        return refuse("declare: \(error.reason)")
      }
    }
  }

  private func push(_ pointer: UnsafePointer<list_batch>?) -> Int32 {
    turn.withLock {
      guard !isStopRequested else { return Self.stopping }
      guard let schema else { return refuse("push: no schema was declared") }
      do throws(BatchReader.Fault) {
        var reader = try BatchReader(pointer, schema: schema, isReloading: isReloading)
        while let part = reader.next() {
          guard part.isEmpty || events(.changes(part)) else { return noteStopping() }
        }
        isReloading = reader.isReloadingAfter
        if let reason = reader.firstRejection { noteRejected(reader.rejected, reason) }
        // The first rows turn a starting source live. Afterwards a source that reported itself
        // stale must report itself live.
        if !hasRows, state != .live {
          state = .live
          guard events(.state(.live, message: "")) else { return noteStopping() }
        }
        hasRows = true
        return Self.ok
      } catch {
        return refuse("push: \(error.reason)")
      }
    }
  }

  private func wait(_ nanoseconds: UInt64) -> Int32 {
    monitor.withLock { monitor.wait(nanoseconds: nanoseconds) { isStopping } } ? Self.stopping : Self.ok
  }

  private func setState(_ state: UInt32, _ message: UnsafePointer<CChar>?) {
    switch state {
    case LIST_STATE_LIVE.rawValue: deliver(.live, ForeignText.message(message))
    case LIST_STATE_STALE.rawValue: deliver(.stale, ForeignText.message(message))
    default: log(.error, "set_state: \(state) is not a state")
    }
  }

  private func fail(_ key: UnsafePointer<CChar>?, _ message: UnsafePointer<CChar>?) {
    let failure = (key: key.map { ForeignText.message($0) }, message: ForeignText.message(message))
    monitor.withLock { self.failure = failure }
  }

  private func write(_ level: UInt32, _ message: UnsafePointer<CChar>?) {
    log(PluginLogLevel(rawValue: level) ?? .error, ForeignText.message(message))
  }

  // MARK: Requests and answers

  /// The declared schema.
  var declared: Schema? { monitor.withLock { known } }

  /// Accepts an offer of the plugin.
  ///
  /// Offers are made at most once, before the schema is declared.
  func beforeDeclaring<Fault: Error>(
    _ name: String, _ body: () throws(Fault) -> Void, reason: (Fault) -> String
  ) -> Int32 {
    turn.withLock {
      guard !isStopRequested else { return Self.stopping }
      guard schema == nil else { return refuse("\(name): the schema was declared before") }
      do throws(Fault) {
        try body()
        return Self.ok
      } catch {
        return refuse("\(name): \(reason(error))")
      }
    }
  }

  /// Delivers the plugin's answer, after all its earlier events.
  ///
  /// An answer without a pending request is refused.
  func answer(_ event: SourceEvent, or reason: String) -> Int32 {
    guard requestQueue.answer(event) else { return refuse(reason) }
    return turn.withLock { events(event) } ? Self.ok : Self.stopping
  }

  // MARK: Shared helpers

  private var isStopRequested: Bool { monitor.withLock { isStopping } }

  private func deliver(_ state: SourceState, _ message: String) {
    turn.withLock {
      guard !isStopRequested else { return }
      self.state = state
      if !events(.state(state, message: message)) { _ = noteStopping() }
    }
  }

  /// Records that the receiver of the events wants the source to stop.
  ///
  /// The plugin's `stop` is not called here: the plugin is in the middle of a call and may hold a
  /// lock that `stop` needs.
  private func noteStopping() -> Int32 {
    monitor.withLock {
      isStopping = true
      monitor.wakeAll()
    }
    return Self.stopping
  }

  func refuse(_ reason: String) -> Int32 {
    log(.error, reason)
    return Self.refused
  }

  /// Counts rows that were left out.
  ///
  /// Logs a line whenever the total has doubled, so that a source whose rows are all malformed does
  /// not fill the disk.
  private func noteRejected(_ count: Int, _ reason: String) {
    let (total, isLogged) = monitor.withLock {
      rejectedCount += count
      lastRejection = reason
      guard rejectedCount >= nextLoggedRejection else { return (rejectedCount, false) }
      nextLoggedRejection = rejectedCount * 2
      return (rejectedCount, true)
    }
    if isLogged { log(.warning, "left out, \(total) rows so far: \(reason)") }
  }
}
