import ListEngine
import Logging
import Recording

/// All that can be chosen about a server.
public struct ServerConfiguration: Sendable {
  /// Where it listens. Beyond this machine it needs ``tokens`` and a ``certificate``.
  public var address = ListenAddress.loopback
  /// The port; 0 for any that is free.
  public var port = 0
  /// How it proves who it is; `nil` for plain HTTP.
  public var certificate: Certificate?
  /// By which other addresses browsers know it.
  public var publicURLs: [PublicURL] = []
  /// What lets somebody in; without any, everyone is who reaches it.
  public var tokens: [AccessToken] = []
  /// Whether everyone may only look.
  public var isReadOnly = false
  /// The page's files.
  public var page = PageFiles.placeholder
  /// The bounds of everything that a page or source can make large.
  public var limits = Limits()
  /// How many pages it serves at once.
  public var sessionLimit = 10_000
  /// How many of them may be for the holders of one token.
  public var sessionsPerToken = 5_000
  /// How many connections one address beyond this machine may have.
  public var connectionsPerAddress = 100
  /// How many connections a second are taken, on average, and how many at once. Others are closed without a word, so that those that
  /// are there are served while all who were lost come back; a page comes again after a pause that it draws.
  public var acceptRate = Connections.standardRate
  /// The same at once.
  public var acceptBurst = Connections.standardRate
  /// How long a page may take to say hello.
  public var helloTimeout: Duration = .seconds(10)
  /// How long a page may be silent before it is asked whether it is there, and then before it is taken for gone.
  var patience = Keepalive.Patience()
  /// How many messages a page may send a second, on average.
  public var messageRate = 200
  /// How many messages a page may send at once.
  public var messageBurst = 400
  /// How long a page that says too much is not listened to.
  public var messagePause: Duration = .milliseconds(500)
  /// How many rows of sources are taken before the sockets get their turn.
  public var rowsPerTurn = 4_096
  /// How many rows a source may be ahead.
  public var inletRows = 20_000
  /// How many bytes a source may be ahead.
  public var inletBytes = 16 << 20
  /// What it calls itself in its hello.
  public var name = "rowcast 0.1.0"
  /// Names this run; `nil` for a random one.
  public var epoch: String?
  /// Keeps what happens to the engine; its header names the same ``epoch`` and ``limits``.
  public var recording: Recording?
  /// Whether SIGINT and SIGTERM end it.
  public var endsOnSignals = false
  /// Called on the loop when it begins to end; must not wait.
  public var onStopping: @Sendable () -> Void = {}
  /// Called on the loop when the process gets SIGHUP, if signals are watched; must not wait. `nil`: it ends it, as SIGTERM does, unless
  /// whoever has started the process wants it to be ignored (`nohup`).
  public var onHangUp: (@Sendable () -> Void)?
  /// Who wants to know how it is.
  public var systemManager: SystemManager?
  /// Where its log goes.
  public var logger = Logger(label: "server")

  /// The standard choices.
  public init() {}
}
