import ArgumentParser
import Glibc
import Logging
import PluginHost
import Server

/// The command `rowcast show`, the default for `COMMAND | rowcast` and `rowcast FILE...`.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows rows from standard input or from files as tables: COMMAND | rowcast, rowcast data.csv.",
    usage: "COMMAND | rowcast [<options>]\nrowcast [<options>] <file> ...",
    discussion:
      "It is what rowcast does without a subcommand when files are named, or when its standard input is a pipe or a file."
  )

  @OptionGroup var loose: TextArguments

  @Flag(help: "Goes on at the end of a file, and shows what is appended to it.")
  var follow = false

  @Option(
    help: ArgumentHelp(
      "How many rows to keep, the last ones; 1000000 of a stream, all of a file, if left out.", valueName: "rows"))
  var keep: Int?

  @OptionGroup var serve: Serve

  func validate() throws {
    if let keep, !(1...100_000_000).contains(keep) {
      throw ValidationError("--keep must be between 1 and 100000000, not \(keep)")
    }
    if files.count > 1, loose.name != nil {
      throw ValidationError("--name is for one table; \(files.count) files are named")
    }
    if files.count > Self.greatestFileCount {
      throw ValidationError("at most \(Self.greatestFileCount) files are shown at once, not \(files.count)")
    }
    try serve.options.refuseSources("show", butCommand: true)
  }

  private static let greatestFileCount = 64
  /// The number of rows that are kept of a stream without `--keep`.
  private static let streamBound = 1_000_000

  /// The files to show, one table each; standard input if empty.
  private var files: [String] { serve.options.command }

  /// Returns the arguments with the files moved behind `--`, where the parser accepts positional
  /// words.
  static func separated(_ arguments: [String]) -> [String] {
    var (options, files): ([String], [String]) = ([], [])
    var place = 0
    while place < arguments.count, arguments[place] != "--" {
      let argument = arguments[place]
      if argument.hasPrefix("-"), argument != "-" {
        options.append(argument)
        if !Watch.flags.contains(argument), argument != "--follow", !argument.contains("="), place + 1 < arguments.count
        {
          place += 1
          options.append(arguments[place])
        }
      } else {
        files.append(argument)
      }
      place += 1
    }
    files += arguments[min(place + 1, arguments.count)...]
    return options + (files.isEmpty ? [] : ["--"] + files)
  }

  /// An open stream and the name of its table.
  private struct Stream {
    var file: Int32
    var name: String
    var options: TextOptions
  }

  func run() throws {
    let streams = try streams()
    // The server must not start the files as source programs.
    var serve = serve
    serve.options.command = []
    try serve.run { [follow] _, control, ending in
      for stream in streams {
        let inlet = control.addSource(stream.name)
        let log = SourceLog(stream.name)
        if let bound = stream.options.bound, stream.options.kept == nil {
          log.log(.info, "keeps the last \(bound) rows; --keep sets another number")
        }
        let source = StreamSource(
          stream.file, name: stream.name, options: stream.options, isFollowing: follow,
          log: { level, message in log.log(Logger.Level(level), message) },
          events: { inlet.tell(SourceInlet.Event($0)) })
        try ending.start(StreamFeed(source: source))
      }
    }
  }

  private func streams() throws -> [Stream] {
    var options = loose.options
    options.kept = keep
    if files.isEmpty || follow { options.bound = Self.streamBound }
    guard !files.isEmpty else {
      if options.title.isEmpty { options.title = "Standard input" }
      return [Stream(file: STDIN_FILENO, name: loose.name ?? "input", options: options)]
    }
    var names: Set<String> = []
    return try files.map { path in
      let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else {
        throw EnvironmentFailure(description: "\(path): \(String(cString: strerror(errno)).lowercased())")
      }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        throw EnvironmentFailure(description: "\(path): a folder; name a file in it")
      }
      let title = path.split(separator: "/").last.map(String.init) ?? path
      var own = options
      if own.title.isEmpty { own.title = title }
      // The extension selects the separator; other formats are recognized from the first line.
      if own.format == nil, own.delimiter == nil, own.pattern == nil {
        own.format = ["csv": .csv, "tsv": .tsv][title.split(separator: ".").last?.lowercased() ?? ""]
      }
      var name = loose.name ?? Self.tableName(title)
      let first = name
      var number = 2
      while !names.insert(name).inserted { (name, number) = ("\(first.prefix(56))-\(number)", number + 1) }
      return Stream(file: file, name: name, options: own)
    }
  }

  /// Returns the table name for a file: `sales-2026` for `sales 2026.csv`.
  private static func tableName(_ file: String) -> String {
    let stem = file.split(separator: ".").first ?? ""
    let name = stem.unicodeScalars.map { scalar in
      Child.isName(String(scalar)) ? Character(scalar) : "-"
    }
    return name.isEmpty ? "file" : String(name.prefix(64))
  }

  /// Returns whether arguments without a subcommand mean `show`.
  ///
  /// They do if a file is named, or if standard input is redirected and no other source is named.
  static func isMeant(by arguments: [String], besides commands: [String]) -> Bool {
    if let first = arguments.first, !first.hasPrefix("-") {
      guard !commands.contains(first) else { return false }
      // A mistyped subcommand must not count as a file.
      return first.contains(".") || first.contains("/") || access(first, F_OK) == 0
    }
    if !arguments.contains("--"), separated(arguments).contains("--") { return true }
    let others = ["--config", "--plugin", "--child", "--set", "--help", "-h", "--version", "--"]
    guard !arguments.contains(where: { argument in others.contains { argument == $0 || argument.hasPrefix($0 + "=") } })
    else { return false }
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }
}

/// A stream source as a feed.
private struct StreamFeed: Feed {
  let source: StreamSource
  func start() throws { try source.start() }
  func stop() { source.stop() }
}
