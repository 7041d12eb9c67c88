import ArgumentParser
import Glibc
import Server

/// The options of a server, from flags and a configuration file; flags take precedence.
struct ServeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A configuration file in YAML; its settings have the names of the flags.", valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("The port; 0 for a free one. (default: 7777)", valueName: "port"))
  var port: Int?

  @Option(
    help: ArgumentHelp(
      "The address to listen on. Other addresses than the loopback need a certificate. (default: 127.0.0.1)",
      valueName: "address"))
  var listen: String?

  @Option(
    help: ArgumentHelp("A Unix socket to listen on instead of a port; only its owner may open it.", valueName: "path"))
  var unix: String?

  @Option(
    help: ArgumentHelp(
      "Another URL of the server, such as that of a proxy; may be given several times.",
      valueName: "url"))
  var publicURL: [String] = []

  @Option(help: ArgumentHelp("The certificate and its chain, in PEM.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "The file with the access tokens; created if it is missing. (default: one in the state folder)",
      valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Open the address in a browser: $BROWSER, or xdg-open.")
  var open = false

  @Flag(help: "Accept every client that can reach the port, without a token.")
  var noToken = false

  @Flag(help: "All clients are viewers.")
  var readOnly = false

  @Flag(help: "Serve other machines as root; the sources then have root's rights.")
  var allowRoot = false

  @Flag(
    help:
      "Serve two more tables: the state of each source, with actions to restart, stop, start and change it, and its log."
  )
  var status = false

  @Option(
    help: ArgumentHelp(
      "The folder with the page. (default: the installed one)", valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp(
      "A data source: a plugin's name, or the path of a shared library or program; name=plugin for a name of its own; may be given several times. (default: processes)",
      valueName: "[name=]plugin"))
  var plugin: [String] = []

  @Option(
    help: ArgumentHelp(
      "A program that is a data source, as a line for the shell; may be given several times.", valueName: "name=command"
    ))
  var child: [Child] = []

  @Option(
    help: ArgumentHelp(
      "A command that runs again every two seconds, as a line for the shell; may be given several times.",
      valueName: "name=command"))
  var watch: [String] = []

  @Option(
    help: ArgumentHelp("A file of rows, read to its end and followed; may be given several times.", valueName: "path"))
  var file: [String] = []

  @Option(
    help: ArgumentHelp(
      "A table of the rows that clients send to /ingest/NAME; may be given several times.", valueName: "name"))
  var ingest: [String] = []

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("A program that is a data source, with its arguments, after --.", valueName: "command"))
  var command: [String] = []

  @Option(help: ArgumentHelp("A plugin's configuration; may be given several times.", valueName: "name.key=value"))
  var set: [Setting] = []

  @Option(
    help: ArgumentHelp(
      "The minimum interval between two patches to a client, in milliseconds. (default: 300)", valueName: "ms")
  )
  var interval: Int?

  @Option(
    help: ArgumentHelp(
      "The maximum number of clients with one token. (default: 5000; 10000 where there is one token)", valueName: "n"))
  var sessionsPerToken: Int?

  @Option(
    help: ArgumentHelp(
      "The maximum number of exports at once with one token. (default: 4; 8 where there is one token)", valueName: "n")
  )
  var exportsPerToken: Int?

  @Option(
    help: ArgumentHelp(
      "The minimum average rate in bytes per second of an export after its first minute; 0 for any. (default: 4096)",
      valueName: "bytes-per-second"))
  var exportRate: Int?

  @Option(help: ArgumentHelp("The maximum duration of an export. (default: 3600)", valueName: "seconds"))
  var exportTime: Int?

  @Option(
    help: ArgumentHelp(
      "The folder for views that users save by name; created if it is missing. (default: no views are saved)",
      valueName: "folder"))
  var views: String?

  @Option(
    help: ArgumentHelp(
      "Keep the last values of a column of numbers, 60 if no number is given, in another column with a small chart; may be given several times.",
      valueName: "table.column[=n]"))
  var history: [String] = []

  @Option(
    help: ArgumentHelp(
      "Add a column with the time of each row's last change to a table; may be given several times.",
      valueName: "table"))
  var changed: [String] = []

  @Option(
    help: ArgumentHelp(
      "Record all inputs in this file, for rowcast replay. Replaces an existing file.", valueName: "file"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      """
      Publish the tables to other nodes through this NATS server, such as nats://127.0.0.1:4222, or through the servers \
      of a cluster, such as nats://a:4222,b:4222,c:4222.
      """, valueName: "url"))
  var publish: String?

  @Option(
    help: ArgumentHelp("Serve the tables that other nodes publish through this NATS server.", valueName: "url"))
  var from: String?

  @Option(help: ArgumentHelp("The file with the credentials for the NATS server.", valueName: "file"))
  var natsCredentials: String?

  @Option(
    help: ArgumentHelp("The certificates of authorities for the NATS server, in PEM; requires TLS.", valueName: "file"))
  var natsCA: String?

  @Option(
    help: ArgumentHelp("The number of NATS servers that store each stream and bucket. (default: 1)", valueName: "1|3"))
  var natsReplicas: Int?

  @Option(
    help: ArgumentHelp("The size of the stream of each published table. (default: 256)", valueName: "MiB"))
  var publishRetention: Int?

  @Option(
    help: ArgumentHelp("The time between two snapshots of a published table. (default: 300)", valueName: "seconds"))
  var publishSnapshots: Int?

  @Option(
    help: ArgumentHelp(
      "Publish only these keys of the tables, or of one table: from a key up to, but not with, another one, such as orders=a..m or m..; may be given several times.",
      valueName: "[table=]from..to"))
  var publishKeys: [String] = []

  @Option(
    help: ArgumentHelp("trace, debug, info, notice, warning, error or critical. (default: info)", valueName: "level"))
  var logLevel: String?

  @Option(help: ArgumentHelp("text, or json for one object a line. (default: text)", valueName: "format"))
  var logFormat: String?

  /// The settings given as flags.
  private var flags: Settings {
    var flags = Settings()
    flags.port = port
    flags.listen = listen
    flags.unix = unix
    flags.publicURLs = publicURL.isEmpty ? nil : publicURL
    flags.tlsCertificate = tlsCertificate
    flags.tlsKey = tlsKey
    flags.tokenFile = tokenFile
    flags.noToken = noToken ? true : nil
    flags.readOnly = readOnly ? true : nil
    flags.allowRoot = allowRoot ? true : nil
    flags.status = status ? true : nil
    flags.web = web
    flags.interval = interval
    flags.sessionsPerToken = sessionsPerToken
    flags.exportsPerToken = exportsPerToken
    flags.exportRate = exportRate
    flags.exportTime = exportTime
    flags.views = views
    flags.histories = history.isEmpty ? nil : history
    flags.changeTimes = changed.isEmpty ? nil : changed
    flags.record = record
    flags.publish = publish
    flags.from = from
    flags.natsCredentials = natsCredentials
    flags.natsAuthorities = natsCA
    flags.natsReplicas = natsReplicas
    flags.publishRetention = publishRetention
    flags.publishSnapshots = publishSnapshots
    flags.publishKeys = publishKeys.isEmpty ? nil : publishKeys
    flags.logLevel = logLevel
    flags.logFormat = logFormat
    let sources =
      plugin.map { Settings.Source(argument: $0) } + child.map { Settings.Source(command: $0) }
      + [Child(words: command)].compactMap(\.self).map { Settings.Source(command: $0) }
      + watch.compactMap { watched($0) }.map { Settings.Source(text: $0) }
      + file.map { Settings.Source(text: .reading(file: $0, isFollowed: true)) }
      + ingest.map { Settings.Source(text: .ingesting(name: $0)) }
    flags.sources = sources.isEmpty ? nil : sources
    return flags
  }

  /// Returns the source of `--watch NAME=COMMAND`, or `nil` if the name or the command is missing.
  private func watched(_ argument: String) -> TextSource? {
    guard let child = Child(argument: argument) else { return nil }
    return .watching(line: child.command.arguments[1], name: child.name)
  }

  /// A closure that reads all settings again; `nil` if no file was named that could change them.
  var rereading: (@Sendable () throws -> Settings)? {
    guard config != nil || tokenFile != nil || tlsCertificate != nil else { return nil }
    return { [self] in try settings() }
  }

  /// Checks the flags.
  func validate() throws {
    for argument in watch where watched(argument) == nil {
      throw ValidationError("--watch must be name=command, the name of letters, digits, - and _, not \(argument)")
    }
    for name in ingest where !Child.isName(name) {
      throw ValidationError("--ingest must be a name of letters, digits, - and _, not \(name)")
    }
    // With a configuration file, problems are reported later, with their location in the file.
    if config == nil { _ = try settings() }
  }

  /// Throws if the arguments name a source, for commands that have a source of their own.
  func refuseSources(_ command: String, butCommand: Bool = false) throws {
    guard plugin.isEmpty, child.isEmpty, watch.isEmpty, file.isEmpty, ingest.isEmpty, set.isEmpty, from == nil,
      butCommand || self.command.isEmpty
    else {
      throw ValidationError("rowcast \(command) has a source of its own: use rowcast serve for others")
    }
  }

  /// Returns the settings of the flags and the configuration file, checked for errors.
  ///
  /// - Throws: `ValidationError`,
  ///   ``ConfigurationFile/Problem`` or ``ConfigurationFile/Unreadable``.
  func settings() throws -> Settings {
    let file = try config.map { try ConfigurationFile(path: $0) }
    if let problem = file?.ownProblems.first { throw problem }
    var settings = flags.over(file?.settings ?? Settings())
    // An address given as flags replaces the kind of address given in the file.
    if unix == nil, port != nil || listen != nil { settings.unix = nil }
    if unix != nil, port == nil, listen == nil { (settings.port, settings.listen) = (nil, nil) }
    if settings.sources == nil { settings.sources = settings.from == nil ? [Settings.Source(plugin: "processes")] : [] }
    if let problem = settings.problems.first { throw described(problem, in: file) }
    for pair in set {
      guard let index = settings.sources!.firstIndex(where: { $0.name == pair.plugin }) else {
        throw ValidationError("--set \(pair.plugin).\(pair.key): no plugin of this name is served")
      }
      settings.sources![index].settings.removeAll { $0.key == pair.key }
      settings.sources![index].settings.append(.init(key: pair.key, value: pair.value))
    }
    if let file, let problem = settings.fileProblems.first, let placed = file.problem(problem) { throw placed }
    return settings
  }

  /// Returns an error that points to the cause of a problem: the file or the command line.
  private func described(_ problem: Settings.Problem, in file: ConfigurationFile?) -> any Error {
    let isFlags = flags.problems.contains(problem) || file?.settings.problems.contains(problem) == false
    if let file, let placed = file.problem(problem), !isFlags || flags.problems.isEmpty { return placed }
    // The flag `--child` caused `sources[1].child`.
    let name = problem.key.split(separator: ".").last?.split(separator: "[").first ?? ""
    return ValidationError("--\(name): \(problem.text)")
  }
}
