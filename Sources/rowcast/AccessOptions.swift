import ArgumentParser
import Glibc
import Server

/// Where the server listens, and who is let in.
struct AccessOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The port; 0 for any that is free.", valueName: "port"))
  var port = 7777

  @Option(
    help: ArgumentHelp(
      "Where to listen: an address of this machine. Beyond the loopback a certificate is needed.", valueName: "address")
  )
  var listen = "127.0.0.1"

  @Option(
    help: ArgumentHelp("A Unix socket to listen on instead of a port; only its owner may open it.", valueName: "path"))
  var unix: String?

  @Option(
    help: ArgumentHelp(
      "Another address under which browsers know the server, as that of a proxy; may be given several times.",
      valueName: "url"))
  var publicURL: [String] = []

  @Option(help: ArgumentHelp("The certificate, and those that vouch for it, in PEM.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "The file with the tokens that let somebody in; made if it is not there. (default: new tokens with each start)",
      valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Let in everyone who can reach the server: every user of this machine.")
  var noToken = false

  @Flag(help: "Nobody may do more than look.")
  var readOnly = false

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535, not \(port)") }
    guard let address = ListenAddress(listen) else {
      throw ValidationError("--listen \(listen): this is no address of the form 127.0.0.1 or ::1")
    }
    for url in publicURL where PublicURL(url) == nil {
      throw ValidationError("--public-url \(url): an address as browsers write it, such as https://rows.example.org")
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key belong together")
    }
    guard !noToken || tokenFile == nil else { throw ValidationError("--no-token and --token-file exclude each other") }
    guard unix != nil || address.isLocal else {
      guard !noToken else { throw ValidationError("--no-token: not beyond the loopback, where anyone could look") }
      guard tlsCertificate != nil else {
        throw ValidationError(
          "--listen \(listen): beyond the loopback only with --tls-certificate and --tls-key, or everyone on the way could listen"
        )
      }
      return
    }
  }

  /// Where to listen.
  var address: ListenAddress { unix.map { .unix($0) } ?? ListenAddress(listen)! }

  /// Tells the server's configuration.
  func apply(to configuration: inout ServerConfiguration) throws(TokenFile.Failure) {
    configuration.address = address
    configuration.port = port
    configuration.publicURLs = publicURL.compactMap { PublicURL($0) }
    if let tlsCertificate, let tlsKey { configuration.certificate = Certificate(chain: tlsCertificate, key: tlsKey) }
    configuration.isReadOnly = readOnly
    configuration.tokens = try tokens()
  }

  private static func freshTokens() -> [AccessToken] { Role.allCases.reversed().map { AccessToken(role: $0) } }

  private func tokens() throws(TokenFile.Failure) -> [AccessToken] {
    if noToken { return [] }
    if let tokenFile {
      do throws(TokenFile.Failure) {
        return try TokenFile.read(tokenFile)
      } catch .missing {
        let tokens = Self.freshTokens()
        try TokenFile.write(tokens, to: tokenFile)
        return tokens
      }
    }
    // One that lies there was left by a server that was killed: its pages come back by themselves.
    guard port > 0 || unix != nil else { return Self.freshTokens() }
    let path = try TokenFile.standardPath(for: address, port: port)
    return (try? TokenFile.read(path)) ?? Self.freshTokens()
  }

  /// Puts the tokens where `rowcast url` finds them, once the port is ours.
  ///
  /// - Returns: the file, when it is to go with the server.
  func publish(_ tokens: [AccessToken], port: Int) throws(TokenFile.Failure) -> String? {
    guard !tokens.isEmpty, tokenFile == nil else { return nil }
    let path = try TokenFile.standardPath(for: address, port: port)
    try TokenFile.write(tokens, to: path)
    return path
  }

  /// The file in which a running server's tokens are.
  func pathOfTokens() throws(TokenFile.Failure) -> String {
    if let tokenFile { return tokenFile }
    return try TokenFile.standardPath(for: address, port: port)
  }
}
