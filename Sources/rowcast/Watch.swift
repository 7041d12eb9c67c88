import ArgumentParser
import Logging
import PluginHost
import Server

/// `rowcast watch -n 2 -- COMMAND ARGUMENT...`
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a command again and again, and shows the table that it prints: rowcast watch -n 2 -- df -h",
    usage: "rowcast watch [-n <seconds>] [<options>] -- <command> ...")

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The pause between two runs.", valueName: "seconds"))
  var pause = 2.0

  @OptionGroup var loose: LooseArguments

  @OptionGroup var serve: Serve

  func validate() throws {
    guard (0.1...86_400).contains(pause) else {
      throw ValidationError("-n must be between 0.1 and 86400 seconds, not \(pause)")
    }
    guard !serve.options.command.isEmpty else {
      throw ValidationError("which command? It stands after --: rowcast watch -- df -h")
    }
    try serve.options.refuseSources("watch", butCommand: true)
  }

  func run() throws {
    guard let child = Child(words: serve.options.command) else { return }
    let name = loose.name ?? child.name
    var options = loose.options
    if options.title.isEmpty { options.title = serve.options.command.joined(separator: " ") }
    try serve.run { [pause] _, control, ending in
      let inlet = control.addSource(name)
      let sourceLog = SourceLog(name)
      let source = WatchSource(
        child.command, name: name, pause: .seconds(pause), options: options,
        log: { level, message in sourceLog.log(Logger.Level(level), message) },
        events: { inlet.tell(SourceInlet.Event($0)) })
      try ending.start(WatchFeed(source: source))
    }
  }
}

/// A command that is run again and again, joined to the server.
private struct WatchFeed: Feed {
  let source: WatchSource
  func start() throws { try source.start() }
  func stop() { source.stop(within: .seconds(1)) }
}
