import PluginHost
import Server

/// What was chosen about a server, in a file or by flags; `nil` where nothing was said.
///
/// A name in the file is the flag's without its dashes, but for sources, of which a file can say more.
struct Settings: Equatable {
  /// One data source.
  struct Source: Equatable {
    /// The plugin: a shared library by name or by path, or a program by path. Empty when it is a command.
    var plugin = ""
    /// The command, where it is not a plugin's file.
    var command: Child?
    /// What the plugin is told, in the order in which it was written.
    var settings: [Pair] = []
    /// What the SHA-256 of the plugin's file must be; `nil` for any.
    var sha256: String?
    /// The rights that are taken from a program; `nil` for the standard ones.
    var isolation: Isolation?

    struct Pair: Equatable {
      var key: String
      var value: String
    }

    /// The program to run; `nil` when the source is a shared library.
    var child: Child? { command ?? Child(plugin: plugin) }
    /// The plugin's file, which may change while it runs; `nil` when it is a command.
    var file: String? {
      guard let child else { return Installation.pluginPath(plugin) }
      return child.isPlugin ? child.command.program : nil
    }
    /// What its table and its settings are called by.
    var name: String { child?.name ?? Installation.pluginName(plugin) }
    /// What it is told, as flags say it.
    var flags: [Setting] { settings.map { Setting(plugin: name, key: $0.key, value: $0.value) } }
  }

  var port: Int?
  var listen: String?
  var unix: String?
  var publicURLs: [String]?
  var tlsCertificate: String?
  var tlsKey: String?
  var tokenFile: String?
  var noToken: Bool?
  var readOnly: Bool?
  var allowRoot: Bool?
  var web: String?
  var interval: Int?
  var sessionsPerToken: Int?
  var exportsPerToken: Int?
  var exportRate: Int?
  var exportTime: Int?
  var record: String?
  var logLevel: String?
  var logFormat: String?
  var sources: [Source]?

  /// All that these say, and what those others say of which these say nothing.
  func over(_ others: Settings) -> Settings {
    var result = Settings()
    result.port = port ?? others.port
    result.listen = listen ?? others.listen
    result.unix = unix ?? others.unix
    result.publicURLs = publicURLs ?? others.publicURLs
    result.tlsCertificate = tlsCertificate ?? others.tlsCertificate
    result.tlsKey = tlsKey ?? others.tlsKey
    result.tokenFile = tokenFile ?? others.tokenFile
    result.noToken = noToken ?? others.noToken
    result.readOnly = readOnly ?? others.readOnly
    result.allowRoot = allowRoot ?? others.allowRoot
    result.web = web ?? others.web
    result.interval = interval ?? others.interval
    result.sessionsPerToken = sessionsPerToken ?? others.sessionsPerToken
    result.exportsPerToken = exportsPerToken ?? others.exportsPerToken
    result.exportRate = exportRate ?? others.exportRate
    result.exportTime = exportTime ?? others.exportTime
    result.record = record ?? others.record
    result.logLevel = logLevel ?? others.logLevel
    result.logFormat = logFormat ?? others.logFormat
    result.sources = sources ?? others.sources
    return result
  }
}

extension Settings {
  static let standardPort = 7_777
  static let standardInterval = 300

  /// The certificate with its key.
  var certificate: Certificate? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return Certificate(chain: tlsCertificate, key: tlsKey)
  }

  /// Where to listen.
  ///
  /// - Precondition: there are no ``problems``.
  var address: ListenAddress { unix.map { .unix($0) } ?? ListenAddress(listen ?? "127.0.0.1")! }
}
