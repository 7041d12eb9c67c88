import ArgumentParser
import Glibc

/// `rowcast`: joins the parts.
struct Rowcast: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turns lists that keep changing into live tables in the browser.",
    version: "rowcast 0.1.0",
    subcommands: [Serve.self, Replay.self, URLCommand.self],
    defaultSubcommand: Serve.self)
}

// Not `Rowcast.main()`: its exit codes are those of sysexits.h, and it prints the usage after each complaint. Ours: one line, and 2
// when the command was wrong, 1 when the world was.
do {
  var command = try Rowcast.parseAsRoot()
  try command.run()
} catch let error as WorldError {
  complain(error.description)
  exit(1)
} catch {
  guard Rowcast.exitCode(for: error) != .success else { Rowcast.exit(withError: error) }  // --help, --version
  complain(Rowcast.message(for: error))
  exit(2)
}
