import ArgumentParser
import Glibc
import TextSource

/// The command `rowcast watch -n 2 COMMAND ARGUMENT...`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs commands again and again, and shows the tables that they print: rowcast watch -n 2 df -h",
    usage: "rowcast watch [-n <seconds>] [<options>] <command> ...",
    discussion: """
      The command begins at the first word that is not an option. One text with shell syntax runs through the shell: \
      rowcast watch 'ps aux | head'. Several such texts are several tables: rowcast watch 'df -h' 'ss -tan'. A command \
      gets the whole environment.
      """)

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("The pause between two runs. (default: the preset's, or 2)", valueName: "seconds"))
  var pause: Double?

  @Option(help: ArgumentHelp("The command, key, columns and types of a known command, such as df.", valueName: "name"))
  var preset: String?

  @Option(help: ArgumentHelp("A folder with presets, searched first.", valueName: "folder"))
  var presets: String?

  @Flag(help: "Lists the presets and exits.")
  var listPresets = false

  @Flag(help: "Reads the output with jc, which must be installed and know the command.")
  var jc = false

  @OptionGroup var textArguments: TextArguments

  @OptionGroup var options: ServeOptions

  func validate() throws {
    if let pause, !TextSource.pauses.contains(pause) {
      throw ValidationError("-n must be between 0.1 and 86400 seconds, not \(pause)")
    }
    guard !listPresets else { return }
    guard preset != nil || !options.command.isEmpty else {
      throw ValidationError("missing command: give it last, as in rowcast watch df -h")
    }
    if preset == nil, lines.count > 1, textArguments.name != nil || textArguments.title != nil {
      throw ValidationError("--name and --title are for one table; \(lines.count) commands are named")
    }
    try options.refuseSources("watch", butCommand: true)
  }

  /// The shell command lines; empty if the words are one command with its arguments.
  private var lines: [String] { Self.lines(options.command) }

  private static func lines(_ words: [String]) -> [String] {
    if isShellLine(words) { return [words[2]] }
    // The name of a program has no blank, so these are lines: rowcast watch 'df -h' 'ss -tan'.
    return words.count > 1 && needsShell(words[0]) ? words : []
  }

  func run() throws {
    guard !listPresets else { return print(Preset.list(folder: presets).joined(separator: "\n")) }
    try Serve.serve(try sources(), with: options)
  }

  private func sources() throws -> [Settings.Source] {
    let known = try preset.map { try Preset.named($0, folder: presets) }
    var words = options.command
    if let known {
      // Words after the preset are further arguments of its command.
      let quoted = words.map { "'\($0.replacing("'", with: "'\\''"))'" }
      words = Self.shell + [([known.command] + quoted).joined(separator: " ")]
    }
    if jc { words = try Self.throughJC(words, known) }
    let pause: Duration = .seconds(min(86_400, max(0.1, pause ?? known?.interval ?? 2)))
    let lines = Self.lines(words)
    let name = textArguments.name ?? preset
    let found =
      lines.isEmpty
      ? [TextSource.watching(words: words, title: words.joined(separator: " "), name: name, pause: pause)]
      : lines.map { TextSource.watching(line: $0, name: name, pause: pause) }
    let sources = try found.map { source in
      guard var source else {
        throw ValidationError("\(words[0]): its name is not valid for a table; give it one with --name")
      }
      // The members of jc's output are not the columns that the preset declares.
      var options = try textArguments.options(over: jc ? TextOptions() : known?.options() ?? TextOptions())
      if options.title.isEmpty { options.title = known?.title ?? source.options.title }
      source.options = options
      source.inheritEnvironment()
      return source
    }
    return TextSource.withUniqueNames(sources).map { Settings.Source(text: $0) }
  }
}

extension Watch {
  /// The options without a value.
  static let flags: Set<String> = [
    "--no-token", "--read-only", "--open", "--help", "-h", "--version", "--no-header",
    "--list-presets", "--jc",
  ]
  private static let shell = ["/bin/sh", "-c"]

  /// Returns the arguments with `--` inserted before the command.
  ///
  /// A single word with shell syntax is prefixed with `/bin/sh -c`.
  ///
  /// - Parameter arguments: The arguments after `watch`.
  static func separated(_ arguments: [String]) -> [String] {
    var place = 0
    while place < arguments.count, arguments[place] != "--" {
      let argument = arguments[place]
      guard argument.hasPrefix("-"), argument != "-" else { break }
      place += flags.contains(argument) || argument.contains("=") ? 1 : 2
    }
    guard place < arguments.count else { return arguments }
    let command = Array(arguments[(arguments[place] == "--" ? place + 1 : place)...])
    return arguments[..<place] + ["--"] + (command.count == 1 && needsShell(command[0]) ? shell + command : command)
  }

  /// Returns whether a single word is a shell command line rather than the path of a program.
  fileprivate static func needsShell(_ word: String) -> Bool {
    guard word.contains(where: { " \t\n|&;<>()$`\"'*?[]#~{}!".contains($0) }) else { return false }
    return access(word, X_OK) != 0
  }

  /// Returns the command with its output piped through `jc`.
  private static func throughJC(_ words: [String], _ preset: Preset?) throws -> [String] {
    guard Child.isInstalled("jc") else {
      throw EnvironmentFailure(description: "--jc needs the program jc: install it, for example with apt install jc")
    }
    let line =
      isShellLine(words) ? words[2] : words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    let program = preset?.command.split(separator: " ").first.map(String.init) ?? (isShellLine(words) ? line : words[0])
    let parser = preset?.jc ?? String(program.split(separator: " ")[0].split(separator: "/").last ?? "")
    return shell + ["\(line) | jc --\(parser.replacing("_", with: "-"))"]
  }

  static func isShellLine(_ words: [String]) -> Bool { words.count == 3 && words.starts(with: shell) }
}
