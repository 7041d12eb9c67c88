import Glibc
import ProcessSource
import Server

/// The settings of a server from a file or flags; `nil` where none is given.
///
/// A key in the file is the flag's name without dashes, except for sources, which have more
/// settings in a file.
struct Settings: Equatable {
  /// The settings of one data source.
  struct Source: Equatable {
    /// The plugin: a shared library or a program, by name or path; empty for a command.
    var plugin = ""
    /// The name that a plugin is given, so that one plugin can serve several tables.
    var givenName: String?
    /// The command to run, if the source is not a plugin.
    var command: Child?
    /// The text to read, if the source is neither.
    var text: TextSource?
    /// The plugin's own settings in the order in which they were written.
    var settings: [Pair] = []
    /// The required SHA-256 of the plugin's file; `nil` for any.
    var sha256: String?
    /// The isolation of a program; `nil` for the standard level.
    var isolation: Isolation?

    struct Pair: Equatable {
      var key: String
      var value: String
    }

    /// The program to run as a plugin; `nil` if the source is a shared library or text.
    var child: Child? {
      guard text == nil, var child = command ?? Child(plugin: plugin) else { return nil }
      child.name = givenName ?? child.name
      return child
    }
    /// The program to run as a plugin or as a watched command.
    var program: ChildCommand? {
      if case .watch(let command, _)? = text?.origin { return command }
      return child?.command
    }
    /// The plugin's file, which is watched for changes; `nil` for a command.
    var file: String? {
      guard text == nil else { return nil }
      guard let child else { return Installation.pluginPath(plugin) }
      return child.isPlugin ? child.command.program : nil
    }
    /// The name that identifies the source in table names and settings.
    var name: String { text?.name ?? givenName ?? child?.name ?? Installation.pluginName(plugin) }
    /// The key of the source's kind in a configuration file, also the name of its flag.
    var kind: String {
      switch text?.origin {
      case .watch: "watch"
      case .file: "file"
      case .input: "stdin"
      case .ingest: "ingest"
      case nil: command == nil ? "plugin" : "child"
      }
    }
    /// The plugin's settings in the form of `--set` arguments.
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
  var status: Bool?
  var web: String?
  var interval: Int?
  var sessionsPerToken: Int?
  var exportsPerToken: Int?
  var exportRate: Int?
  var exportTime: Int?
  var views: String?
  var histories: [String]?
  var changeTimes: [String]?
  var record: String?
  var publish: String?
  var from: String?
  var natsCredentials: String?
  var natsAuthorities: String?
  var natsReplicas: Int?
  var publishRetention: Int?
  var publishSnapshots: Int?
  var publishKeys: [String]?
  var logLevel: String?
  var logFormat: String?
  var sources: [Source]?

  /// Returns these settings, completed with those of `others`.
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
    result.status = status ?? others.status
    result.web = web ?? others.web
    result.interval = interval ?? others.interval
    result.sessionsPerToken = sessionsPerToken ?? others.sessionsPerToken
    result.exportsPerToken = exportsPerToken ?? others.exportsPerToken
    result.exportRate = exportRate ?? others.exportRate
    result.exportTime = exportTime ?? others.exportTime
    result.views = views ?? others.views
    result.histories = histories ?? others.histories
    result.changeTimes = changeTimes ?? others.changeTimes
    result.record = record ?? others.record
    result.publish = publish ?? others.publish
    result.from = from ?? others.from
    result.natsCredentials = natsCredentials ?? others.natsCredentials
    result.natsAuthorities = natsAuthorities ?? others.natsAuthorities
    result.natsReplicas = natsReplicas ?? others.natsReplicas
    result.publishRetention = publishRetention ?? others.publishRetention
    result.publishSnapshots = publishSnapshots ?? others.publishSnapshots
    result.publishKeys = publishKeys ?? others.publishKeys
    result.logLevel = logLevel ?? others.logLevel
    result.logFormat = logFormat ?? others.logFormat
    result.sources = sources ?? others.sources
    return result
  }
}

extension Settings {
  static let standardPort = 7_777
  static let standardInterval = 300

  /// The certificate with its private key.
  var certificate: Certificate? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return Certificate(chain: tlsCertificate, key: tlsKey)
  }

  /// The address to listen on.
  ///
  /// - Precondition: ``problems`` is empty.
  var address: ListenAddress { unix.map { .unix($0) } ?? ListenAddress(listen ?? "127.0.0.1")! }
}

extension Settings.Source {
  /// Creates a source from the argument of `--plugin`: a name or path, after `NAME=` if it has a
  /// name of its own.
  init(argument: String) {
    self.init()
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    if parts.count == 2, Child.isName(parts[0]), access(argument, F_OK) != 0 {
      (givenName, plugin) = (parts[0], parts[1])
    } else {
      plugin = argument
    }
  }
}
