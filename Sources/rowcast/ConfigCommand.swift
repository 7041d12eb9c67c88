import ArgumentParser

/// `rowcast config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Looks at configurations.", subcommands: [Check.self])

  /// `rowcast config check`
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says what is wrong with a configuration, and where; nothing is started.")

    @Argument(help: ArgumentHelp("The file, in YAML.", valueName: "file"))
    var file: String

    func run() throws {
      let configuration = try ConfigurationFile(path: file)
      let problems = configuration.settings.problems + configuration.settings.fileProblems
      // All of them, the last one as any other complaint.
      let placed = problems.compactMap(configuration.problem)
      for problem in placed.dropLast() { complain("\(problem)") }
      if let last = placed.last { throw last }
      announce("\(file): all is well")
    }
  }
}
