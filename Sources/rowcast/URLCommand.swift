import ArgumentParser
import Server

/// `rowcast url`
struct URLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "url", abstract: "Prints an address that lets one browser in; good once, for two minutes.",
    discussion: "The options that say where the server listens are those of “rowcast serve”, --config among them.")

  @OptionGroup var options: ServeOptions

  @Option(help: ArgumentHelp("As what: viewer or operator.", valueName: "role"))
  var role = Role.operator.rawValue

  func validate() throws {
    guard Role(rawValue: role) != nil else { throw ValidationError("--role must be viewer or operator, not \(role)") }
  }

  func run() throws {
    let settings = try options.settings()
    let port = settings.port ?? Settings.standardPort
    let tokens: [AccessToken]
    do throws(TokenFile.Failure) {
      if let path = settings.tokenFile {
        tokens = try TokenFile.read(path)
      } else {
        tokens = try TokenFile.read(try TokenFile.standardPath(for: settings.address, port: port))
      }
    } catch {
      throw WorldError(description: "\(error); does a server listen there?")
    }
    guard let token = tokens.first(where: { $0.role.rawValue == role }) else {
      throw WorldError(description: "the server has no token of a \(role)")
    }
    let base =
      settings.publicURLs?.first.flatMap { PublicURL($0) }?.description
      ?? "\(settings.tlsCertificate == nil ? "http" : "https")://\(settings.address.host):\(port)/"
    announce("\(base)?code=\(token.loginCode(at: WallClock.milliseconds))")
  }
}
