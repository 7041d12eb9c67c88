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
  public private(set) var port = 0
  /// The operations that other threads may use.
  public let control: ServerControl
  /// The base URL for browsers; the first of the public URLs, if there are any.
  public private(set) var url = ""

  /// The accepted tokens.
  public var tokens: [AccessToken] { configuration.tokens }

  /// The recording of the engine's inputs, if there is one.
  public var recording: Recording? { configuration.recording }

  var configuration: ServerConfiguration
  let logger: Logger
  /// The log for events that clients can cause at any rate.
  let pageLog: SourceLog
  let loop = EventLoop()
  var engine: RecordedEngine
  var guardian = RequestGuard(port: 0)
  var access: AccessControl
  var connections: Connections
  /// The passes of accepted upgrades whose WebSocket is not established yet.
  var admitted: [OpaquePointer: AccessControl.Pass] = [:]
  private let fileLimit = FileLimit.current
  /// The highest descriptor that a client's socket may have.
  var greatestDescriptor: Int { FileLimit.greatestDescriptor(of: fileLimit, sources: control.inlets.count) }
  var context: OpaquePointer?
  var sessions: [OpaquePointer: Session] = [:]
  var sessionsByID: [SessionID: Session] = [:]
  var lastSession: UInt64 = 0
  var transfers: [OpaquePointer: PageTransfer] = [:]
  /// The exports in progress.
  var downloads: [OpaquePointer: TableDownload] = [:]
  var downloadShares: TokenShares
  /// The number of sessions of each token.
  var sessionShares: TokenShares
  /// The sessions whose last query waits for the turn.
  var queriesToHandle: [SessionID] = []
  /// The pending HEAD requests, answered like GET without the body.
  var headsOnly: Set<OpaquePointer> = []
  /// The exports that wait for rows.
  var waitingDownloads: Set<OpaquePointer> = []
  /// The clients whose response waits for a source or for the client itself.
  var waiting = WaitingClients()
  var tablesBySource: [ObjectIdentifier: TableID] = [:]
  var inletsByTable: [TableID: SourceInlet] = [:]
  var schemas: [TableID: Schema] = [:]
  var tablesByName: [String: TableID] = [:]
  var nextInlet = 0
  var greetings: GreetingQueue
  /// The timer of the keepalive checks.
  var periodicTimer: PeriodicTimer
  var actions: ActionBook
  var images = ImageRequests()
  var resumeTokens: ResumeTokens
  var isStopping = false
  var metrics = Metrics()
  var stats = StatsFeed()
  var delays: [TableID: SourceDelays] = [:]
  /// The buffer for messages that are sent immediately, reused for all sessions.
  var outgoing: [UInt8] = []
  /// The counters of each source.
  var sourceMetrics: [ObjectIdentifier: SourceMetrics] = [:]
  /// The rate-limited log of each source, for events that it causes.
  var sourceLogs: [ObjectIdentifier: SourceLog] = [:]
  /// The sources without a table.
  var tableless = TablelessSources()
  /// The TLS context of the port, into which new certificates are loaded.
  var tlsContext: OpaquePointer?
  private let arena: ContextArena
  private var unixSocket: UnixSocket?

  /// Creates a server and opens its port.
  ///
  /// - Throws: ``ServerError`` if the server cannot start.
  public init(_ configuration: ServerConfiguration) throws(ServerError) {
    self.configuration = configuration
    logger = configuration.logger
    pageLog = SourceLog(configuration.logger) { EventLoop.now }
    resumeTokens = ResumeTokens(limit: configuration.limits.parkedSessions)
    actions = ActionBook(limit: configuration.limits.parkedSessions)
    sessionShares = TokenShares(limit: configuration.sessionShare)
    downloadShares = TokenShares(limit: configuration.exportShare)
    greetings = GreetingQueue(patience: configuration.helloTimeout)
    periodicTimer = PeriodicTimer(
      every: min(.seconds(1), configuration.patience.silence, configuration.patience.answer))
    engine = RecordedEngine(
      Engine(
        epoch: configuration.epoch ?? Self.randomEpoch(), limits: configuration.limits, collators: LocaleCollator.find),
      recording: configuration.recording)
    control = ServerControl(
      waker: loop.waker, rowLimit: configuration.inletRows, byteLimit: configuration.inletBytes)
    connections = Connections(
      limitPerAddress: configuration.connectionsPerAddress, rate: configuration.acceptRate,
      burst: configuration.acceptBurst, at: EventLoop.now)
    access = Self.accessControl(of: configuration, port: 0)
    guard configuration.address.isLocal || !configuration.tokens.isEmpty && configuration.certificate != nil else {
      throw .exposed(configuration.address.host)
    }
    if case .unix(let path) = configuration.address { unixSocket = try UnixSocket(path: path) }
    arena = ContextArena(
      configuration.address, certificate: configuration.certificate, socketPath: unixSocket?.draftPath)
    do throws(ServerError) {
      try listen()
    } catch {
      shutDown()
      throw error
    }
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
        configuration.systemManager?.tellReloading(at: EventLoop.now)
        onHangUp()
      }
    }
    if configuration.endsOnSignals { loop.watchSignals() }
  }

  /// Returns a random name for a run of the server.
  public static func randomEpoch() -> String { String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }

  private func listen() throws(ServerError) {
    LibraryLog.begin(logger)
    var info = arena.contextInfo(loop: loop.handle, user: Unmanaged.passUnretained(self).toOpaque())
    context = lws_create_context(&info)
    guard let context else { throw .noWebSockets }
    arena.context.pointee = context
    var vhostInfo = arena.vhostInfo(port: configuration.address.isUnix ? 0 : configuration.port)
    let vhost = lws_create_vhost(context, &vhostInfo)
    if let unixSocket {
      guard vhost != nil else { throw .socketUnavailable(unixSocket.path) }
      try unixSocket.publish()
    } else {
      if let vhost { port = Int(lws_get_vhost_listen_port(vhost)) }
      guard port > 0 else {
        if vhost == nil, let certificate = configuration.certificate, !certificate.isUsable {
          throw .badCertificate(certificate.chain)
        }
        throw .portUnavailable(configuration.address.host, configuration.port)
      }
    }
    let isSecure = configuration.certificate != nil
    control.serve(tokens: configuration.tokens)
    guardian = RequestGuard(
      address: configuration.address, port: port, isSecure: isSecure, publicURLs: configuration.publicURLs)
    access = Self.accessControl(of: configuration, port: port)
    url =
      configuration.publicURLs.first?.description
      ?? (unixSocket.map { "unix:\($0.path)" }
        ?? "\(isSecure ? "https" : "http")://\(configuration.address.host):\(port)/")
  }

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
    configuration.systemManager?.tellReady("listening on \(url)")
    loop.run()
    shutDown()
  }

  // MARK: Turns of the loop

  private func takeTurn() {
    let began = EventLoop.now
    defer { metrics.turns.record(began.duration(to: EventLoop.now)) }
    if control.isStopping { beginStopping() }
    guard !isStopping else { return endWhenEmpty() }
    for changes in control.takeChanges() { apply(changes) }
    takeSignIns()
    let now = EventLoop.now
    handleLastQueries(at: now)
    configuration.systemManager?.advance(to: now)
    let isMailLeft = takeMail(at: now)
    for output in engine.advance(to: now) { perform(output) }
    for id in greetings.takeOverdue(at: now) {
      guard let session = sessionsByID[id], session.phase == .greeting else { continue }
      refuse(session, .unexpectedMessage("say hello first"), engineKnowsIt: false)
    }
    checkKeepalives(at: now)
    wakeDownloads()
    tellStats(at: now)
    tellTableless(at: now)
    dismissTardy(at: now)
    dismissThoseWhoLeft(at: now)
    finishOverdueActions(at: now)
    finishOverdueImages(at: now)
    loop.requestTurn(
      at: [
        engine.deadline, greetings.deadline, periodicTimer.deadline, actions.deadline, images.deadline,
        connections.deadline,
        waiting.deadline,
        stats.deadline, tableless.deadline, configuration.systemManager?.deadline,
      ].compactMap(\.self).min())
    if isMailLeft { loop.requestNextRound() }
  }

  private func perform(_ output: Output) {
    switch output {
    case .deliver(let id, let delivery):
      guard let session = sessionsByID[id], session.phase == .open else { return }
      deliver(delivery, to: session)
    case .status(let id, let table, let status):
      guard let session = sessionsByID[id], !session.isClosing else { return }
      session.status = (table, status)
      lws_callback_on_writable(session.socket)
    case .waiting(let id, let waiting):
      guard let session = sessionsByID[id], session.phase == .open else { return }
      session.waiting = waiting
      lws_callback_on_writable(session.socket)
    case .tables:
      for session in sessions.values where session.phase == .greeted || session.phase == .open {
        session.owesTables = true
        lws_callback_on_writable(session.socket)
      }
    case .load(let table, let cells): ask(.load(cells), of: table)
    case .cancel(let table, let cells): ask(.cancel(cells), of: table)
    case .ask(let table, let requests): ask(requests, of: table)
    case .cancelPages(let table, let ids): _ = inletsByTable[table]?.ask(.cancelPages(ids))
    case .refuse(let id, let refusal):
      guard let session = sessionsByID[id], session.phase == .open else { return }
      session.refuse(refusal)
      lws_callback_on_writable(session.socket)
    }
  }

  /// Closes a session with an error.
  func refuse(_ session: Session, _ error: ClientError, engineKnowsIt: Bool) {
    logger.debug("a page is refused", metadata: ["reason": "\(error.reason)"])
    if engineKnowsIt { engine.handle(.close(session.id), at: EventLoop.now) }
    session.beginClosing(1008, error.code, error: error)
  }

  // MARK: Shutdown

  private func beginStopping() {
    guard !isStopping else { return }
    isStopping = true
    logger.info("stopping", metadata: ["pages": "\(sessions.count)"])
    configuration.systemManager?.tellStopping()
    control.close()
    configuration.onStopping()
    for session in sessions.values where !session.isClosing { session.beginClosing(1001, "the server stops") }
    // The time limit for clients that do not answer the Close frame.
    loop.stop(afterMilliseconds: 1_000)
    endWhenEmpty()
  }

  /// Ends the loop of a stopping server when all clients are gone.
  func endWhenEmpty() {
    if isStopping, sessions.isEmpty, transfers.isEmpty { loop.stop() }
  }

  private func shutDown() {
    control.close()
    loop.onTurn = {}
    loop.onSignal = {}
    loop.onHangUp = {}
    if let context { lws_context_destroy(context) }
    context = nil
    loop.drain()
    // On a foreign loop, destruction pauses until the handles are closed, and must then be called
    // again.
    if let context = arena.context.pointee { lws_context_destroy(context) }
    loop.close()
    sessions = [:]
    sessionsByID = [:]
    transfers = [:]
    downloads = [:]
    headsOnly = []
    unixSocket = nil
  }
}
