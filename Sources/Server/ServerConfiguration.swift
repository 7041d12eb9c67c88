import Glibc
import ListEngine
import Logging
import Recording

/// The configuration of a server.
public struct ServerConfiguration: Sendable {
  /// The address to listen on; one beyond this machine requires ``tokens`` and a ``certificate``.
  public var address = ListenAddress.loopback
  /// The port; 0 for any free one.
  public var port = 0
  /// The TLS certificate; `nil` for plain HTTP.
  public var certificate: Certificate?
  /// The URLs under which browsers reach the server, such as that of a proxy.
  public var publicURLs: [PublicURL] = []
  /// The accepted tokens; an empty list accepts every client.
  public var tokens: [AccessToken] = []
  /// Whether all clients are viewers.
  public var isReadOnly = false
  /// The page's files.
  public var page = PageFiles.placeholder
  /// The limits on everything that a client or source can make large.
  public var limits = Limits()
  /// The maximum number of sessions.
  public var sessionLimit = 10_000
  /// The maximum number of sessions per token; `nil` for the default.
  public var sessionsPerToken: Int?
  /// The maximum number of exports per token; `nil` for the default.
  public var exportsPerToken: Int?
  /// The limits on the time that clients take to read an export.
  public var exportPace = ExportPace.Bounds()
  /// The maximum number of connections from one address beyond this machine.
  public var connectionsPerAddress = 100
  /// The average number of connections accepted per second.
  ///
  /// Further connections are closed, so that existing clients are served while many clients
  /// reconnect. Clients reconnect after a random delay.
  public var acceptRate = Connections.standardRate
  /// The number of connections accepted at once.
  public var acceptBurst = Connections.standardBurst
  /// The time a client has to send its `hello`.
  public var helloTimeout: Duration = .seconds(10)
  /// The keepalive: the silence before a ping, and the time to answer it.
  var patience = Keepalive.Patience()
  /// The average number of messages a client may send per second.
  public var messageRate = 200
  /// The number of messages a client may send at once.
  public var messageBurst = 400
  /// The time for which reading from a client is paused after it exceeds its rate.
  public var messagePause: Duration = .milliseconds(500)
  /// The number of rows taken from sources per turn, before sockets are served.
  public var rowsPerTurn = 4_096
  /// The number of rows a source may be ahead of the engine.
  public var inletRows = 20_000
  /// The number of bytes a source may be ahead of the engine.
  public var inletBytes = 16 << 20
  /// The server's name in its `hello`.
  public var name = "rowcast 0.1.0"
  /// The epoch of this run; `nil` for a random one.
  public var epoch: String?
  /// Whether servers with the same ``epoch`` have the same row ids; see ``Engine/sharesRowIDs``.
  public var sharesRowIDs = false
  /// The recording of the engine's inputs; its header has the same ``epoch`` and ``limits``.
  public var recording: Recording?
  /// The columns whose last values are kept, in addition to those that sources name.
  public var histories: [HistoryRequest] = []
  /// The names of tables that get a column with the time of each row's last change.
  public var changeTimes: Set<String> = []
  /// The folder with the saved views; `nil` to keep none.
  public var viewsFolder: String?
  /// The system call that writes the file of a view.
  var writeOfViews: @Sendable (Int32, UnsafeRawPointer, Int) -> Int = { Glibc.write($0, $1, $2) }
  /// Whether SIGINT and SIGTERM stop the server.
  public var endsOnSignals = false
  /// The handler of a stop: called on the loop when the server begins to stop; must not block.
  public var onStopping: @Sendable () -> Void = {}
  /// The handler of SIGHUP: called on the loop, if signals are handled; must not block.
  ///
  /// If it is `nil`, SIGHUP stops the server like SIGTERM, unless the process was started with
  /// SIGHUP ignored (`nohup`).
  public var onHangUp: (@Sendable () -> Void)?
  /// The service manager to notify, if any.
  public var systemManager: SystemManager?
  /// Returns the reason why a load balancer must not send clients here yet, or `nil`. [the loop]
  public var obstacle: @Sendable () -> String? = { nil }
  /// Returns the metrics of other parts of the program. [the loop]
  public var otherMetrics: @Sendable () -> [OtherMetric] = { [] }
  /// The logger of the server.
  public var logger = Logger(label: "server")

  /// Creates the default configuration.
  public init() {}

  /// Opens the folder of the saved views.
  func openViews() throws(ServerError) -> ViewFolder? {
    guard let viewsFolder else { return nil }
    return try ViewFolder(path: viewsFolder, put: writeOfViews)
  }

  /// The default maximum of sessions per token, if there are several tokens.
  static let standardSessionShare = 5_000
  /// The default maximum of exports per token, if there are several tokens.
  static let standardExportShare = 4

  /// The effective maximum of sessions per token.
  var sessionShare: Int {
    TokenShares.limit(
      configured: sessionsPerToken, tokens: tokens.count, standard: Self.standardSessionShare, all: sessionLimit)
  }

  /// The effective maximum of exports per token.
  var exportShare: Int {
    TokenShares.limit(
      configured: exportsPerToken, tokens: tokens.count, standard: Self.standardExportShare,
      all: Server.greatestExportCount)
  }
}

extension RequestGuard {
  /// Creates a guard for a server at this port.
  init(_ configuration: ServerConfiguration, port: Int) {
    self.init(
      address: configuration.address, port: port, isSecure: configuration.certificate != nil,
      publicURLs: configuration.publicURLs)
  }
}
