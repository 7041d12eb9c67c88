import Glibc
import ListEngine
import SourceRuntime
import Threads

/// The implementation of ``ChildSource``: the supervisor, the process, and the thread that connects
/// them.
///
/// One thread owns the supervisor, the process and its input. This thread starts the process, which
/// does not outlive it. A second thread reads the output (``ChildReader``). Other threads post to
/// the inbox under `monitor` and wake the first.
final class ChildCore: @unchecked Sendable {
  private let command: ChildCommand
  private let name: String
  private let table: String?
  private let configuration: [String: String]
  private let policy: SupervisionPolicy
  private let trace: (any TraceListener)?
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool
  /// `nil` when no file descriptor was left, and the source fails to start.
  private let wake = WakeFile()

  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var inbox: [Supervisor.Input] = []
  private var requests: [(request: SourceRequest, schema: Schema?)] = []
  /// The `hello` that the supervisor has not handled.
  private var receivedHello: ChildHello?
  private var rules: SettingRules?
  private var schema: Schema?
  private var columnChanges: ColumnChanges
  private var wasInsideReload = false
  private var pending = PendingRequests()
  private var wasStarted = false
  private var isFinished = false

  // Used by the supervising thread only.
  private var process: ChildProcess?
  private var reader: ChildReader?
  private var receivedCount = 0
  private var isStopped = false
  private var isStopRequested = false
  /// Whether the process has sent its hello and therefore reads messages.
  private var speaks = false
  private var outgoing: [UInt8] = []
  private var errors = ErrorLog()
  private var healthNumber: UInt64 = 0
  /// The number of events to wait for before the trace ends: the exit and the end of the output.
  private var openEnds = 0

  /// The maximum number of bytes queued for a child that does not read its input.
  private static let outgoingLimit = 1 << 20
  /// The maximum number of inputs that the reader may queue for the supervisor.
  private static let inboxLimit = 64
  /// The interval of the check whether a signal has stopped the child.
  private static let checkInterval: Duration = .seconds(1)
  private var measuredAt = Instant.zero

  init(
    _ command: ChildCommand, name: String, table: String?, configuration: [String: String], policy: SupervisionPolicy,
    trace: (any TraceListener)? = nil,
    log: @escaping @Sendable (PluginLogLevel, String) -> Void, events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.command = command
    self.name = name
    self.table = table
    self.configuration = configuration
    self.policy = policy
    columnChanges = ColumnChanges(most: policy.columnChanges, within: policy.columnChangeSpan)
    self.trace = trace
    self.log = log
    self.events = events
  }

  // MARK: Called by other threads

  func start() throws(PluginError) {
    monitor.withLock {
      precondition(!wasStarted, "source \(name) was started before; make another one")
      wasStarted = true
    }
    guard wake != nil else {
      monitor.withLock { isFinished = true }
      throw .noDescriptor(source: name)
    }
    let code = startThread("src-\(name)") { self.run() }
    guard code == 0 else {
      monitor.withLock { isFinished = true }
      throw .noThread(source: name, code: code)
    }
  }

  func post(_ input: Supervisor.Input) {
    monitor.withLock { inbox.append(input) }
    wake?.wake()
  }

  /// Posts from the reader's thread, waiting while the inbox is full.
  ///
  /// Otherwise a child that writes only malformed lines would fill the memory.
  private func postInTurn(_ input: Supervisor.Input) {
    monitor.withLock {
      _ = monitor.wait(nanoseconds: .max) { inbox.count < Self.inboxLimit || isFinished }
      inbox.append(input)
    }
    wake?.wake()
  }

  func send(_ request: SourceRequest, of schema: Schema? = nil) {
    monitor.withLock { requests.append((request, schema)) }
    wake?.wake()
  }

  func waitUntilFinished(within bound: Duration) -> Bool {
    monitor.withLock {
      guard wasStarted else { return true }
      return monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) { isFinished }
    }
  }

  // MARK: The supervising thread

  private func run() {
    var supervisor = Supervisor(policy, seed: .random(in: .min ... .max))
    perform(supervisor.handle(.start, at: monotonicNow), &supervisor)
    while !(isStopRequested && supervisor.isResting) {
      waitForSomething(supervisor.deadline)
      let (inputs, requests, receivedHello) = monitor.withLock {
        defer {
          inbox = []
          self.requests = []
          self.receivedHello = nil
          monitor.wakeAll()
        }
        return (inbox, self.requests, self.receivedHello)
      }
      if let receivedHello { handleHello(receivedHello, &supervisor) }
      noteLife(&supervisor)
      for input in inputs {
        if input == .stop { isStopRequested = true }
        if input == .drained { closeOneEnd() }
        perform(supervisor.handle(input, at: monotonicNow), &supervisor)
      }
      for (request, schema) in requests { take(request, of: schema) }
      readErrors()
      checkProcess(&supervisor)
      perform(supervisor.advance(to: monotonicNow), &supervisor)
      writeOutgoing()
    }
    monitor.withLock {
      isFinished = true
      monitor.wakeAll()
    }
  }

  private func waitForSomething(_ deadline: Instant?) {
    var files = [pollfd(fd: wake?.file ?? -1, events: Int16(POLLIN), revents: 0)]
    var timeout: Duration?
    if let process {
      files.append(pollfd(fd: process.watch, events: Int16(POLLIN), revents: 0))
      files.append(pollfd(fd: process.errors, events: Int16(POLLIN), revents: 0))
      if !outgoing.isEmpty { files.append(pollfd(fd: process.input, events: Int16(POLLOUT), revents: 0)) }
      timeout = process.watch >= 0 ? Self.checkInterval : .milliseconds(50)
    }
    if let deadline {
      let rest = max(.zero, monotonicNow.duration(to: deadline))
      timeout = timeout.map { min($0, rest) } ?? rest
    }
    // Rounded up, because waking early would only cause another wait.
    let milliseconds = timeout.map { Int32(clamping: ($0.nanoseconds + 999_999) / 1_000_000) } ?? -1
    _ = poll(&files, nfds_t(files.count), milliseconds)
    if files[0].revents != 0 { wake?.clear() }
  }

  /// Reports the reader's activity to the supervisor.
  ///
  /// This precedes the inbox, whose last input may be the end of the output.
  private func noteLife(_ supervisor: inout Supervisor) {
    guard let reader else { return }
    let signs = reader.signsOfLife
    if signs.count != receivedCount {
      receivedCount = signs.count
      perform(supervisor.handle(.received, at: monotonicNow), &supervisor)
    }
    perform(supervisor.handle(.heldBack(signs.isWaiting), at: monotonicNow), &supervisor)
  }

  /// Reports the state of the process to the supervisor.
  private func checkProcess(_ supervisor: inout Supervisor) {
    guard let process else { return }
    let (exit, isStopped) = process.status()
    if let exit { return perform(supervisor.handle(.exited(exit), at: monotonicNow), &supervisor) }
    measure(process, &supervisor)
    guard isStopped != self.isStopped else { return }
    self.isStopped = isStopped
    perform(supervisor.handle(.stopped(isStopped), at: monotonicNow), &supervisor)
  }

  private func measure(_ process: ChildProcess, _ supervisor: inout Supervisor) {
    let now = monotonicNow
    guard measuredAt.duration(to: now) >= policy.measurePause else { return }
    measuredAt = now
    guard let reason = process.excess(over: command) else { return }
    perform(supervisor.handle(.exceeded(reason), at: now), &supervisor)
  }

  private func perform(_ commands: [Supervisor.Command], _ supervisor: inout Supervisor) {
    for command in commands {
      switch command {
      case .spawn: spawn(&supervisor)
      case .closeInput:
        outgoing = []
        process?.closeInput()
      case .terminate: process?.send(SIGTERM)
      case .kill: process?.send(SIGKILL)
      case .reap: reap()
      case .cutOff: reader?.cutOff()
      case .requestHealth:
        healthNumber += 1
        outgoing += HostLine.health(healthNumber)
      case .report(let state, let message, let retry):
        if !events(.state(state, message: message, retry: retry)) { post(.stop) }
      case .rest: break
      }
    }
  }

  private func spawn(_ supervisor: inout Supervisor) {
    do throws(ChildProcess.Fault) {
      let process = try ChildProcess(command)
      guard let reader = ChildReader(process.output, listener, trace) else {
        throw giveUp(process, "no file descriptor is left to read what it writes")
      }
      // Before the reader starts, because the trace must begin before the first output.
      trace?.begin()
      let (known, isReloading, refusal) = monitor.withLock {
        (schema, wasInsideReload, columnChanges.refusal(at: monotonicNow))
      }
      let decoder = ChildDecoder(
        name: name, table: table, known: known, isReloading: isReloading, refusalOfOtherColumns: refusal)
      guard reader.start(name, decoder: decoder) else {
        trace?.end()
        throw giveUp(process, "no thread to read what it writes")
      }
      self.process = process
      self.reader = reader
      receivedCount = 0
      isStopped = false
      speaks = false
      outgoing = HostLine.hello
      openEnds = 2
      perform(supervisor.handle(.spawned, at: monotonicNow), &supervisor)
    } catch {
      perform(supervisor.handle(.notSpawned(error.reason), at: monotonicNow), &supervisor)
    }
  }

  /// Ends a process whose output has no reader, and returns the reason as a start failure.
  private func giveUp(_ process: ChildProcess, _ reason: String) -> ChildProcess.Fault {
    process.reap()
    close(process.output)
    return ChildProcess.Fault(reason: reason)
  }

  private func reap() {
    readErrors()
    errors.end { log(.info, $0) }
    closeOneEnd()
    process?.reap()
    process = nil
    outgoing = []
    answer(monitor.withLock { pending.takeUnanswered("its source has ended") })
  }

  private func closeOneEnd() {
    openEnds -= 1
    if openEnds == 0 { trace?.end() }
  }

  private var listener: ChildReader.Listener {
    ChildReader.Listener(
      report: { [self] event in
        monitor.withLock { pending.answer(event) } ? events(event) : true
      },
      note: { [self] in postInTurn($0) },
      noteHello: { [self] hello in
        monitor.withLock { (receivedHello, rules) = (hello, hello.settings) }
        wake?.wake()
      },
      learn: { [self] schema, speaks in
        monitor.withLock {
          // Sent again by each process, so another one is a change.
          if let former = self.schema, former != schema { columnChanges.note(at: monotonicNow) }
          self.schema = schema
        }
        guard !speaks, let key = configuration.keys.min() else { return }
        post(.refused("\(name).\(key): unknown setting: the program prints rows only"))
      },
      extend: { [self] schema in monitor.withLock { self.schema = schema } },
      end: { [self] isInsideReload in
        monitor.withLock { wasInsideReload = isInsideReload }
        post(.drained)
      })
  }

  // MARK: Messages to the child

  /// The rules for the settings, from the process's last `hello`.
  var settingRules: SettingRules? { monitor.withLock { rules } }

  private func handleHello(_ hello: ChildHello, _ supervisor: inout Supervisor) {
    speaks = true
    if hello.capabilities.contains("health") {
      perform(supervisor.handle(.answersHealth, at: monotonicNow), &supervisor)
    }
    do throws(SettingRules.Fault) {
      outgoing += HostLine.configure(try SettingRules.written(configuration, by: hello.settings))
    } catch {
      let place = error.key.map { "\(name).\($0): " } ?? ""
      perform(supervisor.handle(.refused(place + error.reason), at: monotonicNow), &supervisor)
    }
  }

  private func take(_ request: SourceRequest, of expected: Schema?) {
    let schema = monitor.withLock { self.schema }
    if let expected, let schema, expected != schema {
      return answer(SourceEvent.refusing(former: request).map { [$0] } ?? [])
    }
    let acceptsRequests = process != nil && speaks && outgoing.count < Self.outgoingLimit
    switch request {
    case .load(let cells):
      guard acceptsRequests, let schema else {
        return answer(cells.map { .notLoaded($0.key, column: $0.column, reason: "its source does not answer") })
      }
      monitor.withLock { pending.ask(cells) }
      outgoing += HostLine.deferred("load", cells, schema)
    case .cancel(let cells):
      let known = monitor.withLock { pending.cancel(cells) }
      if acceptsRequests, let schema, !known.isEmpty { outgoing += HostLine.deferred("cancel", known, schema) }
    case .ask(let requests):
      guard acceptsRequests, let schema, schema.windowed != nil else {
        return answer(requests.map { .pageFailed($0.id, reason: "its source does not answer") })
      }
      monitor.withLock { pending.ask(requests) }
      for request in requests { outgoing += HostLine.query(request, schema) }
    case .cancelBlocks(let ids):
      let known = monitor.withLock { pending.cancel(ids) }
      if acceptsRequests, !known.isEmpty { outgoing += HostLine.cancel(known) }
    case .image(let number, let key):
      guard acceptsRequests, schema?.loadsImages == true else { return answer([.image(number, .sourceDown)]) }
      monitor.withLock { pending.ask(image: number) }
      outgoing += HostLine.image(number, key)
    case .cancelImages(let numbers):
      let known = monitor.withLock { pending.cancel(images: numbers) }
      if acceptsRequests, !known.isEmpty { outgoing += HostLine.cancel(images: known) }
    case .act(let request):
      guard acceptsRequests, schema != nil, monitor.withLock({ pending.ask(request.id) }) else {
        return answer([.acted(request.id, .failed(.sourceDown, "its source does not run, or does not listen"))])
      }
      outgoing += HostLine.action(request)
    case .upload(let request): answer([.refusing(request)])
    }
  }

  /// Delivers answers on behalf of the process.
  private func answer(_ answers: [SourceEvent]) {
    for event in answers where !events(event) { return post(.stop) }
  }

  /// Writes as much as the pipe accepts, without waiting for a child that does not read.
  private func writeOutgoing() {
    guard let process, process.input >= 0, !outgoing.isEmpty else { return }
    let count = outgoing.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
    if count > 0 {
      if let trace { outgoing.withUnsafeBytes { trace.note(.host, UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
      outgoing.removeFirst(count)
    } else if errno != EAGAIN && errno != EINTR {
      process.closeInput()  // the child has closed its input
      outgoing = []
    }
  }

  private func readErrors() {
    guard let process, process.errors >= 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    // Bounded, so that a child that writes endlessly does not block the other work of this thread.
    for _ in 0..<16 {
      let count = read(process.errors, &buffer, buffer.count)
      if count > 0 {
        if let trace { buffer.withUnsafeBytes { trace.note(.log, UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
        errors.take(buffer[..<count], at: monotonicNow) { log(.info, $0) }
      } else {
        if count == 0 { process.closeErrors() }
        return
      }
    }
  }
}
