import ArgumentParser

/// The command `rowcast plugin`, whose subcommands are for authors of data sources.
struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin", abstract: "Creates, checks and runs plugins.",
    subcommands: [PluginNew.self, PluginCheck.self, PluginRun.self, PluginReplay.self, Host.self])

  /// The command `rowcast plugin host FILE.so`.
  struct Host: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The same as rowcast plugin-host.")

    @OptionGroup var command: PluginHostCommand

    func run() throws { try command.run() }
  }
}
