import ArgumentParser
import Glibc

/// `rowcast`: joins the parts.
struct Rowcast: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turns lists that keep changing into live tables in the browser.",
    version: "rowcast 0.1.0",
    subcommands: [
      Serve.self, Show.self, Watch.self, Replay.self, URLCommand.self, TokenCommand.self, ConfigCommand.self,
      PluginCommand.self, PluginHostCommand.self,
    ],
    defaultSubcommand: Serve.self)

  /// The arguments with what may be left out: the subcommand for rows, and `--` in front of a command to watch.
  static func completed(_ arguments: [String]) -> [String] {
    if arguments.first == "watch" { return ["watch"] + Watch.separated(Array(arguments.dropFirst())) }
    let commands = configuration.subcommands.map { $0._commandName } + ["help"]
    if arguments.first == "show" { return ["show"] + Show.separated(Array(arguments.dropFirst())) }
    return Show.isMeant(by: arguments, besides: commands) ? ["show"] + Show.separated(arguments) : arguments
  }
}

// Not `Rowcast.main()`: its exit codes are those of sysexits.h, and it prints the usage after each complaint. Ours: one line, and 2
// when the command was wrong, 1 when the world was.
do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  var command = try Rowcast.parseAsRoot(Rowcast.completed(arguments))
  try command.run()
} catch let error as EnvironmentFailure {
  complain(error.description)
  exit(1)
} catch is Verdict {
  exit(1)
} catch let error as ConfigurationFile.Problem {
  complain(error.description)
  exit(2)
} catch let error as ConfigurationFile.Unreadable {
  complain(error.description)
  exit(1)
} catch {
  guard Rowcast.exitCode(for: error) != .success else { Rowcast.exit(withError: error) }  // --help, --version
  complain(Rowcast.message(for: error))
  exit(2)
}
