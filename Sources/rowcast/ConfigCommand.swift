import ArgumentParser

/// The command `rowcast config`.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Looks at configurations.", subcommands: [Check.self])

  /// The command `rowcast config check`.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks a configuration and reports each problem with its place; starts nothing.")

    @Argument(help: ArgumentHelp("The file, in YAML.", valueName: "file"))
    var file: String

    func run() throws {
      let configuration = try ConfigurationFile(path: file)
      // Print every problem; the last one is thrown, so that it determines the exit code.
      let problems = configuration.problems
      for problem in problems.dropLast() { complain("\(problem)") }
      if let last = problems.last { throw last }
      announce("\(file): all is well")
    }
  }
}
