import ArgumentParser
import Glibc
import Logging
import PluginHost
import Server

/// The command `rowcast watch -n 2 COMMAND ARGUMENT...`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a command again and again, and shows the table that it prints: rowcast watch -n 2 df -h",
    usage: "rowcast watch [-n <seconds>] [<options>] <command> ...",
    discussion: """
      What follows the first word that is no option is the command. One text with shell syntax runs through the shell: rowcast watch 'ps aux | \
      head'. The command gets the whole environment.
      """)

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The pause between two runs.", valueName: "seconds"))
  var pause = 2.0

  @OptionGroup var loose: TextArguments

  @OptionGroup var serve: Serve

  func validate() throws {
    guard (0.1...86_400).contains(pause) else {
      throw ValidationError("-n must be between 0.1 and 86400 seconds, not \(pause)")
    }
    guard !serve.options.command.isEmpty else {
      throw ValidationError("which command? Name it last: rowcast watch df -h")
    }
    try serve.options.refuseSources("watch", butCommand: true)
  }

  func run() throws {
    let words = serve.options.command
    // A shell command line is named after its first word.
    let line = Self.isShellLine(words) ? words[2] : nil
    let first = line.map { String($0.split { !$0.isLetter && !$0.isNumber && !"_-./".contains($0) }.first ?? "sh") }
    guard var child = first.flatMap({ Child(words: [$0]) }) ?? Child(words: words) else { return }
    child.command = ChildCommand(words[0], Array(words.dropFirst()))
    child.command.inheritsEnvironment = true
    // The command must see the same files as in the user's shell.
    child.command.isolation = .light
    let name = loose.name ?? child.name
    var options = loose.options
    if options.title.isEmpty { options.title = line ?? words.joined(separator: " ") }
    try serve.run { [pause] _, control, ending in
      let inlet = control.addSource(name)
      let sourceLog = SourceLog(name)
      let confinement = Confinement(child.command).description
      inlet.describe(confinement: confinement)
      sourceLog.log(.info, "isolation \(confinement)")
      let source = WatchSource(
        child.command, name: name, pause: .seconds(pause), options: options,
        log: { level, message in sourceLog.log(Logger.Level(level), message) },
        events: { inlet.tell(SourceInlet.Event($0)) })
      try ending.start(WatchFeed(source: source))
    }
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
  private static func needsShell(_ word: String) -> Bool {
    guard word.contains(where: { " \t\n|&;<>()$`\"'*?[]#~{}!".contains($0) }) else { return false }
    return access(word, X_OK) != 0
  }

  static func isShellLine(_ words: [String]) -> Bool { words.count == 3 && words.starts(with: shell) }
}

/// A repeated command as a feed.
private struct WatchFeed: Feed {
  let source: WatchSource
  func start() throws { try source.start() }
  func stop() { source.stop(within: .seconds(1)) }
}
