import ArgumentParser
import Server

/// The command `rowcast token`.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manages the access tokens.", subcommands: [Rotate.self, Show.self])

  /// The command `rowcast token rotate`.
  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replaces the tokens of a server: every browser and client must sign in again.",
      discussion: """
        A running server takes the new tokens within a few seconds and closes the sessions of the old ones. \
        --port names the server, running or not; --token-file a file of your own.
        """)

    @OptionGroup var options: ServeOptions

    func run() throws {
      let settings = try options.settings()
      let path = try TokenCommand.path(settings)
      do throws(TokenFile.Failure) {
        try Access.rotate(path)
      } catch {
        throw EnvironmentFailure(description: "\(error)")
      }
      announce("new tokens in \(path); “rowcast url” prints a link that signs a browser in")
    }
  }

  /// The command `rowcast token show`.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a server's token for programs, such as those that send rows.",
      discussion: """
        A missing token is created; a running server accepts it within a few seconds. Example: \
        curl -H "Authorization: Bearer $(rowcast token show)" --data-binary @jobs.ndjson http://127.0.0.1:7777/ingest/jobs
        """)

    @OptionGroup var options: ServeOptions

    @Option(help: ArgumentHelp("The role: writer, viewer or operator.", valueName: "role"))
    var role = Role.writer.rawValue

    func validate() throws {
      guard Role(rawValue: role) != nil else {
        throw ValidationError("--role must be writer, viewer or operator, not \(role)")
      }
    }

    func run() throws {
      let path = try TokenCommand.path(try options.settings())
      do throws(TokenFile.Failure) {
        announce(try Access.token(of: Role(rawValue: role)!, in: path).text)
      } catch {
        throw EnvironmentFailure(description: "\(error)")
      }
    }
  }

  /// Returns the token file that options name: the given one, the running server's, or that of a
  /// stopped server.
  static func path(_ settings: Settings) throws -> String {
    guard settings.tokenFile == nil, settings.unix == nil else {
      return try URLCommand.server(settings).tokenFile!
    }
    let port = settings.port ?? Settings.standardPort
    if settings.port == nil || RunningServers.all().contains(where: { $0.port == port }) {
      guard let path = try RunningServers.one(settings).tokenFile else {
        throw EnvironmentFailure(description: "this server runs with --no-token: it has no tokens")
      }
      return path
    }
    do throws(TokenFile.Failure) {
      return try TokenFile.standardPath(for: settings.address, port: port)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
  }
}
