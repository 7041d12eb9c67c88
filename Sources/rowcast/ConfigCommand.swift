import ArgumentParser
import Glibc

/// The command `rowcast config`.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks configurations.", subcommands: [Check.self])

  /// The command `rowcast config check`.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks a configuration and reports each problem with its place.",
      discussion:
        "Serves nothing. It starts each plugin that is a program only to read the rules for its settings.")

    @Argument(help: ArgumentHelp("The file, in YAML.", valueName: "file"))
    var file: String

    func run() throws {
      let configuration = try ConfigurationFile(path: file)
      // Print every problem; the last one is thrown, so that it determines the exit code.
      var problems = configuration.problems
      // Programs are started only for a file that can be served.
      if problems.isEmpty { problems = configuration.settings.pluginProblems.compactMap(configuration.problem) }
      for problem in problems.dropLast() { complain("\(problem)") }
      if let last = problems.last { throw last }
      announce("\(file): no problems found")
    }
  }
}
