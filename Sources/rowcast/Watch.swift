import ArgumentParser
import Glibc

/// The command `rowcast watch -n 2 COMMAND ARGUMENT...`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs commands again and again, and shows the tables that they print: rowcast watch -n 2 df -h",
    usage: "rowcast watch [-n <seconds>] [<options>] <command> ...",
    discussion: """
      What follows the first word that is no option is the command. One text with shell syntax runs through the shell: rowcast watch 'ps aux | \
      head'. Several such texts are several tables: rowcast watch 'df -h' 'ss -tan'. A command gets the whole environment.
      """)

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The pause between two runs.", valueName: "seconds"))
  var pause = 2.0

  @OptionGroup var loose: TextArguments

  @OptionGroup var serve: Serve

  func validate() throws {
    guard TextSource.pauses.contains(pause) else {
      throw ValidationError("-n must be between 0.1 and 86400 seconds, not \(pause)")
    }
    guard !serve.options.command.isEmpty else {
      throw ValidationError("which command? Name it last: rowcast watch df -h")
    }
    if lines.count > 1, loose.name != nil || loose.title != nil {
      throw ValidationError("--name and --title are for one table; \(lines.count) commands are named")
    }
    try serve.options.refuseSources("watch", butCommand: true)
  }

  /// The shell command lines; empty if the words are one command with its arguments.
  private var lines: [String] {
    let words = serve.options.command
    if Self.isShellLine(words) { return [words[2]] }
    // The name of a program has no blank, so these are lines: rowcast watch 'df -h' 'ss -tan'.
    return words.count > 1 && Self.needsShell(words[0]) ? words : []
  }

  func run() throws {
    let sources = try sources()
    try serve.run(sources)
  }

  private func sources() throws -> [Settings.Source] {
    let words = serve.options.command
    let pause: Duration = .seconds(self.pause)
    let found =
      lines.isEmpty
      ? [TextSource.watching(words: words, title: words.joined(separator: " "), name: loose.name, pause: pause)]
      : lines.map { TextSource.watching(line: $0, name: loose.name, pause: pause) }
    let sources = try found.map { source in
      guard var source else {
        throw ValidationError("\(words[0]): its name is not valid for a table; give it one with --name")
      }
      source.options = loose.options(over: source.options)
      source.inheritEnvironment()
      return source
    }
    return TextSource.withUniqueNames(sources).map { Settings.Source(text: $0) }
  }
}

extension Watch {
  /// The options without a value.
  static let flags: Set<String> = ["--no-token", "--read-only", "--open", "--help", "-h", "--version"]
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

  static func isShellLine(_ words: [String]) -> Bool { words.count == 3 && words.starts(with: shell) }
}
