import ArgumentParser
import Glibc

/// The command `rowcast show`, the default for `COMMAND | rowcast` and `rowcast FILE...`.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows rows from standard input or from files as tables: COMMAND | rowcast, rowcast data.csv.",
    usage: "COMMAND | rowcast [<options>]\nrowcast [<options>] <file> ...",
    discussion:
      "It is what rowcast does without a subcommand when files are named, or when its standard input is a pipe or a file."
  )

  @OptionGroup var textArguments: TextArguments

  @Flag(help: "Follow files: also show the rows that are appended to them.")
  var follow = false

  @Option(
    help: ArgumentHelp(
      "The number of rows to keep, the last ones. (default: 1000000 of a stream, all of a file)", valueName: "rows"))
  var keep: Int?

  @OptionGroup var options: ServeOptions

  func validate() throws {
    if let keep, !(1...100_000_000).contains(keep) {
      throw ValidationError("--keep must be between 1 and 100000000, not \(keep)")
    }
    if files.count > 1, textArguments.name != nil {
      throw ValidationError("--name is for one table; \(files.count) files are named")
    }
    if files.count > Self.greatestFileCount {
      throw ValidationError("at most \(Self.greatestFileCount) files are shown at once, not \(files.count)")
    }
    try options.refuseSources("show", butCommand: true)
  }

  private static let greatestFileCount = 64

  /// The files to show, one table each; standard input if empty.
  private var files: [String] { options.command }

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

  func run() throws {
    let sources = try sources()
    // The server must not start the files as source programs.
    var options = options
    options.command = []
    try Serve.serve(sources, with: options)
  }

  private func sources() throws -> [Settings.Source] {
    var sources = files.map { TextSource.reading(file: $0, name: textArguments.name, isFollowed: follow) }
    if sources.isEmpty {
      sources = [TextSource(name: textArguments.name ?? "input", origin: .input(isFollowed: follow))]
      sources[0].options.title = "Standard input"
    }
    for index in sources.indices {
      if let problem = sources[index].problem { throw EnvironmentFailure(description: problem) }
      // A pattern replaces the format that the extension suggests.
      if textArguments.pattern != nil { sources[index].options.format = nil }
      sources[index].options = try textArguments.options(over: sources[index].options)
      sources[index].options.rowLimit = keep
      if files.isEmpty || follow { sources[index].options.defaultRowLimit = TextSource.streamBound }
    }
    return TextSource.withUniqueNames(sources).map { Settings.Source(text: $0) }
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
    let others = ["--config", "--plugin", "--child", "--watch", "--file", "--set", "--help", "-h", "--version", "--"]
    guard !arguments.contains(where: { argument in others.contains { argument == $0 || argument.hasPrefix($0 + "=") } })
    else { return false }
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }
}
