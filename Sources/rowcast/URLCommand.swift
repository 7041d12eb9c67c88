import ArgumentParser
import Server

/// `rowcast url`
struct URLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "url", abstract: "Prints an address that lets one browser in; good once, for two minutes.",
    discussion: "The options that say where a server listens are those of “rowcast serve”.")

  @OptionGroup var access: AccessOptions

  @Option(help: ArgumentHelp("As what: viewer or operator.", valueName: "role"))
  var role = Role.operator.rawValue

  func validate() throws {
    guard Role(rawValue: role) != nil else { throw ValidationError("--role must be viewer or operator, not \(role)") }
  }

  func run() throws {
    let tokens: [AccessToken]
    do {
      tokens = try TokenFile.read(try access.pathOfTokens())
    } catch {
      throw WorldError(description: "\(error); does a server listen there?")
    }
    guard let token = tokens.first(where: { $0.role.rawValue == role }) else {
      throw WorldError(description: "the server has no token of a \(role)")
    }
    let isSecure = access.tlsCertificate != nil
    let base =
      access.publicURL.first.flatMap { PublicURL($0) }?.description
      ?? "\(isSecure ? "https" : "http")://\(access.address.host):\(access.port)/"
    announce("\(base)?code=\(token.loginCode(at: WallClock.milliseconds))")
  }
}
