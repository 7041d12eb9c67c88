import ArgumentParser
import Server

/// The command `rowcast url`.
struct URLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "url", abstract: "Prints a link that signs one browser in. It works once, within two minutes.",
    discussion: """
      Finds the running server by itself, on any port; --port names one of several. A server that another user runs, \
      or one with --token-file, --unix or --config, takes the same options here as “rowcast serve”.
      """)

  @OptionGroup var options: ServeOptions

  @Option(help: ArgumentHelp("The role: viewer or operator.", valueName: "role"))
  var role = Role.operator.rawValue

  func validate() throws {
    guard Role(rawValue: role)?.mayView == true else {
      throw ValidationError("--role must be viewer or operator, not \(role)")
    }
  }

  func run() throws {
    let settings = try options.settings()
    let server = try Self.server(settings)
    guard let path = server.tokenFile else { return announce(server.url) }
    let tokens: [AccessToken]
    do throws(TokenFile.Failure) {
      tokens = try TokenFile.read(path)
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
    guard let token = tokens.first(where: { $0.role.rawValue == role }) else {
      throw EnvironmentFailure(description: "\(path) has no \(role) token; add a line “\(role) TOKEN”")
    }
    announce("\(server.url)?code=\(token.loginCode(at: BootClock.milliseconds))")
  }

  /// Returns the server that the settings select.
  ///
  /// A server named by its token file or socket may belong to another user.
  static func server(_ settings: Settings) throws -> RunningServer {
    guard settings.tokenFile != nil || settings.unix != nil else {
      var server = try RunningServers.one(settings)
      if let url = settings.publicURLs?.first.flatMap({ PublicURL($0) }) { server.url = url.description }
      return server
    }
    let port = settings.port ?? Settings.standardPort
    let base =
      settings.publicURLs?.first.flatMap { PublicURL($0) }?.description
      ?? "\(settings.tlsCertificate == nil ? "http" : "https")://\(settings.address.host):\(port)/"
    do throws(TokenFile.Failure) {
      var server = RunningServer(port: settings.unix == nil ? port : 0, url: base, tokenFile: settings.tokenFile)
      if server.tokenFile == nil {
        server.tokenFile = try TokenFile.standardPath(for: settings.address, port: port)
      }
      return server
    } catch {
      throw EnvironmentFailure(description: "\(error)")
    }
  }
}
