import ArgumentParser
import Glibc

/// The `rowcast` command, which connects the modules.
struct Rowcast: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turns lists that keep changing into live tables in the browser.",
    version: "rowcast 0.1.0",
    subcommands: [
      Serve.self, Show.self, Watch.self, Replay.self, URLCommand.self, TokenCommand.self, SessionsCommand.self,
      ConfigCommand.self, PluginCommand.self, PluginHostCommand.self,
    ],
    defaultSubcommand: Serve.self)

  /// Returns the arguments with omitted parts added.
  ///
  /// The parts are the subcommand `show`, and `--` before a command to watch.
  static func completed(_ arguments: [String]) -> [String] {
    if arguments.first == "watch" { return ["watch"] + Watch.separated(Array(arguments.dropFirst())) }
    let commands = configuration.subcommands.map { $0._commandName } + ["help"]
    if arguments.first == "show" { return ["show"] + Show.separated(Array(arguments.dropFirst())) }
    return Show.isMeant(by: arguments, besides: commands) ? ["show"] + Show.separated(arguments) : arguments
  }
}

// `Rowcast.main()` would exit with the codes of sysexits.h and print the usage after each error.
// This command prints one line per error, and exits with 2 for a usage error and 1 for other
// failures.
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
