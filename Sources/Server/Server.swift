import CWebSockets
import ListEngine
import Locales
import Logging
import Recording
import Wire

/// The server: one thread owns the engine, the sessions and all sockets.
///
///     let server = try Server(configuration)
///     let inlet = server.control.addSource("processes")  // used by the source's thread
///     server.run()                                       // until control.stop() or a signal
///
/// Create, run and release it on one thread. Only ``control`` may be used by other threads.
public final class Server {
  /// The port that the server listens on.
  public var port: Int { listener.port }
  /// The base URL for browsers; the first of the public URLs, if there are any.
  public var url: String { listener.url }
  /// The operations that other threads may use.
  public let control: ServerControl
  /// The accepted tokens.
  public var tokens: [AccessToken] { configuration.tokens }
  /// The recording of the engine's inputs, if there is one.
  public var recording: Recording? { configuration.recording }

  var configuration: ServerConfiguration
  let loop = EventLoop()
  let listener: Listener
  var engine: Engine
  var access: AccessControl
  var exchanges: Exchanges
  var clients: Clients
  var sources = Sources()
  var views: Views
  var operations: Operations
  private var wallReports = WallReports()
  var isStopping = false
  /// The buffer for messages that are sent immediately, reused for all clients.
  var outgoing: [UInt8] = []
  private let fileLimit = FileLimit.current

  /// The highest descriptor that a client's socket may have.
  var greatestDescriptor: Int { FileLimit.greatestDescriptor(of: fileLimit, sources: control.inlets.count) }

  /// Creates a server and opens its port.
  ///
  /// - Throws: ``ServerError`` if the server cannot start.
  public init(_ configuration: ServerConfiguration) throws(ServerError) {
    self.configuration = configuration
    operations = Operations(configuration)
    clients = Clients(configuration)
    exchanges = Exchanges(configuration, requestGuard: RequestGuard(port: 0))
    views = Views(try configuration.openViews())
    engine = Engine(
      epoch: configuration.epoch ?? Self.randomEpoch(), limits: configuration.limits,
      sharesRowIDs: configuration.sharesRowIDs, collators: LocaleCollator.find)
    engine.observer = configuration.recording
    control = ServerControl(
      waker: loop.waker, rowLimit: configuration.inletRows, byteLimit: configuration.inletBytes)
    access = Self.accessControl(of: configuration, port: 0)
    guard configuration.address.isLocal || !configuration.tokens.isEmpty && configuration.certificate != nil else {
      throw .exposed(configuration.address.host)
    }
    listener = try Listener(configuration)
    do throws(ServerError) {
      LibraryLog.begin(configuration.logger)
      try listener.open(configuration, on: loop, owner: Unmanaged.passUnretained(self).toOpaque())
    } catch {
      shutDown()
      throw error
    }
    control.serve(tokens: configuration.tokens)
    exchanges.requestGuard = RequestGuard(configuration, port: port)
    access = Self.accessControl(of: configuration, port: port)
    for (file, reason) in views.faults {
      configuration.logger.warning(
        "the file of a view is not used", metadata: ["file": "\(file)", "reason": "\(reason)"])
    }
    reportWallTime()
    watchSignals()
  }

  /// Starts handling signals.
  ///
  /// This precedes the report that the server listens, because the reader of that report may send a
  /// signal immediately. Such a signal takes effect in ``run()``.
  private func watchSignals() {
    loop.onSignal = { [unowned self] in beginStopping() }
    if let onHangUp = configuration.onHangUp {
      loop.onHangUp = { [unowned self] in
        operations.systemManager?.notifyReloading(at: EventLoop.now)
        onHangUp()
      }
    }
    if configuration.endsOnSignals { loop.watchSignals() }
  }

  /// Returns a random name for a run of the server.
  public static func randomEpoch() -> String { String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }

  private static func accessControl(of configuration: ServerConfiguration, port: Int) -> AccessControl {
    AccessControl(
      tokens: configuration.tokens, port: port, isReadOnly: configuration.isReadOnly,
      isSecure: configuration.certificate != nil || configuration.publicURLs.contains(where: \.isSecure),
      at: EventLoop.now, bootTime: BootClock.milliseconds)
  }

  /// Returns the URL with a one-time code that signs the first browser in.
  ///
  /// Each call invalidates the previous code. The plain URL is returned if the server has no
  /// tokens, or listens on a Unix socket that browsers cannot open.
  public func loginURL() -> String {
    let isForBrowsers = !configuration.address.isUnix || !configuration.publicURLs.isEmpty
    guard isForBrowsers, let code = access.printedCode(bootTime: BootClock.milliseconds) else { return url }
    return "\(url)?code=\(code)"
  }

  /// Runs the server until ``ServerControl/stop()`` is called or a handled signal arrives.
  public func run() {
    loop.onTurn = { [unowned self] in takeTurn() }
    loop.requestTurn()
    operations.systemManager?.notifyReady("listening on \(url)")
    loop.run()
    shutDown()
  }

  // MARK: Turns of the loop

  private func takeTurn() {
    let began = EventLoop.now
    defer { operations.metrics.turns.record(began.duration(to: EventLoop.now)) }
    if control.isStopping { beginStopping() }
    guard !isStopping else { return endWhenEmpty() }
    reportWallTime()
    for changes in control.takeChanges() { apply(changes) }
    takeSignIns()
    advanceViews()
    let now = EventLoop.now
    handleLastQueries(at: now)
    let isMailLeft = takeMail(at: now)
    for output in engine.advance(to: now) { perform(output) }
    advanceClients(to: now)
    advanceExchanges(to: now)
    sendTableless(at: now)
    operations.systemManager?.advance(to: now)
    sendStats(at: now)
    loop.requestTurn(
      at: [engine.deadline, clients.deadline, exchanges.deadline, sources.deadline, operations.deadline]
        .compactMap(\.self).min())
    if isMailLeft { loop.requestNextRound() }
  }

  /// Reports the time of day to the engine, if it does not know it.
  private func reportWallTime() {
    let now = EventLoop.now
    if let input = wallReports.take(WallClock.nanoseconds, at: now) { engine.handle(input, at: now) }
  }

  /// Closes clients that are silent, and fails actions that are overdue.
  private func advanceClients(to now: Instant) {
    for client in clients.takeWithoutHello(at: now) {
      refuse(client, .unexpectedMessage("send hello first"), engineKnowsIt: false)
    }
    checkKeepalives(at: now)
    sendHeartbeats(at: now)
    finishOverdueActions(at: now)
  }

  /// Continues exports, fails images that are overdue, and closes slow connections.
  private func advanceExchanges(to now: Instant) {
    wakeExports()
    closeOverdue(at: now)
    closeDeparted(at: now)
    finishOverdueImages(at: now)
    extendUploads()
  }

  private func perform(_ output: Output) {
    switch output {
    case .deliver(let id, let delivery):
      if let client = clients[id], client.phase == .open { deliver(delivery, to: client) }
    case .status(let id, let table, let status):
      if let client = clients[id], !client.isClosing { client.send { $0.status = (table, status) } }
    case .waiting(let id, let waiting):
      if let client = clients[id], client.phase == .open { client.send { $0.waiting = waiting } }
    case .facets(let id, let reports):
      if let client = clients[id], client.phase == .open { client.send { $0.report(reports) } }
    case .pins(let id, let reports):
      if let client = clients[id], client.phase == .open { client.send { $0.reportPins(reports) } }
    case .tiles(let id, let reports):
      if let client = clients[id], client.phase == .open { client.send { $0.tiles = reports } }
    case .tables:
      for client in clients.all where client.hasSentHello { client.send { $0.hasTables = true } }
    case .load(let table, let cells): ask(.load(cells), of: table)
    case .cancel(let table, let cells): ask(.cancel(cells), of: table)
    case .ask(let table, let requests): ask(requests, of: table)
    case .cancelBlocks(let table, let ids): _ = sources[table]?.source.inlet.ask(.cancelBlocks(ids))
    case .refuse(let id, let refusal):
      if let client = clients[id], client.phase == .open { client.send { $0.refuse(refusal) } }
    }
  }

  /// Closes a session with an error.
  func refuse(_ client: ClientConnection, _ error: ClientError, engineKnowsIt: Bool) {
    operations.logger.debug("a client is refused", metadata: ["reason": "\(error.reason)"])
    if engineKnowsIt { engine.handle(.close(client.id), at: EventLoop.now) }
    client.beginClosing(1008, error.code, error: error)
  }

  // MARK: Shutdown

  private func beginStopping() {
    guard !isStopping else { return }
    isStopping = true
    operations.logger.info("stopping", metadata: ["pages": "\(clients.count)"])
    operations.systemManager?.notifyStopping()
    control.close()
    configuration.onStopping()
    for client in clients.all where !client.isClosing { client.beginClosing(1001, "the server stops") }
    // The time limit for clients that do not answer the Close frame.
    loop.stop(afterMilliseconds: 1_000)
    endWhenEmpty()
  }

  /// Ends the loop of a stopping server when all clients are gone.
  func endWhenEmpty() {
    if isStopping, clients.isEmpty, !exchanges.isWriting { loop.stop() }
  }

  private func shutDown() {
    control.close()
    loop.onTurn = {}
    loop.onSignal = {}
    loop.onHangUp = {}
    listener.close(loop)
    clients.removeAll()
    exchanges.removeAll()
  }
}
