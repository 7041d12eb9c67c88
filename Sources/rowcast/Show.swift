import ArgumentParser
import Glibc
import Logging
import PluginHost
import Server

/// `COMMAND | rowcast`
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows rows from standard input as a table: COMMAND | rowcast.",
    usage: "COMMAND | rowcast [<options>]",
    discussion: "It is what rowcast does without a subcommand when its standard input is a pipe or a file.")

  @OptionGroup var loose: LooseArguments

  @Flag(help: "Goes on at the end of a file, and shows what is appended to it.")
  var follow = false

  @Option(help: ArgumentHelp("How many rows to keep, the last ones; all if left out.", valueName: "rows"))
  var keep: Int?

  @OptionGroup var serve: Serve

  func validate() throws {
    if let keep, !(1...100_000_000).contains(keep) {
      throw ValidationError("--keep must be between 1 and 100000000, not \(keep)")
    }
    try serve.options.refuseSources("show")
  }

  func run() throws {
    let name = loose.name ?? "input"
    var options = loose.options
    options.kept = keep
    if options.title.isEmpty { options.title = "Standard input" }
    try serve.run { [follow] _, control, ending in
      let inlet = control.addSource(name)
      let log = SourceLog(name)
      let source = StreamSource(
        STDIN_FILENO, name: name, options: options, isFollowing: follow,
        log: { level, message in log.log(Logger.Level(level), message) },
        events: { inlet.tell(SourceInlet.Event($0)) })
      try ending.start(StreamFeed(source: source))
    }
  }

  /// Whether this is what is wanted though nothing says so: something is piped into the command, and no other source is named.
  static func isMeant(by arguments: [String]) -> Bool {
    if let first = arguments.first, !first.hasPrefix("-") { return false }
    let others = ["--config", "--plugin", "--child", "--set", "--help", "-h", "--version", "--"]
    guard !arguments.contains(where: { argument in others.contains { argument == $0 || argument.hasPrefix($0 + "=") } })
    else { return false }
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }
}

/// A stream, joined to the server.
private struct StreamFeed: Feed {
  let source: StreamSource
  func start() throws { try source.start() }
  func stop() { source.stop() }
}
