import Server

/// The tokens that a server accepts, and the files that hold them.
struct Access {
  /// The accepted tokens; an empty list accepts every client.
  let tokens: [AccessToken]

  /// Creates an access list of these tokens.
  init(_ tokens: [AccessToken]) { self.tokens = tokens }

  /// Reads the tokens that the settings name, or generates new ones.
  init(_ settings: Settings) throws(TokenFile.Failure) {
    tokens = try Self.tokens(settings)
  }

  /// Reads the tokens for a running server.
  ///
  /// Only a token file can replace the tokens of a running server.
  init(_ settings: Settings, running: [AccessToken]) throws(TokenFile.Failure) {
    if settings.noToken == true {
      tokens = []
    } else if let path = settings.tokenFile {
      tokens = try TokenFile.read(path)
    } else {
      tokens = running
    }
  }

  private static func freshTokens() -> [AccessToken] { Role.allCases.reversed().map { AccessToken(role: $0) } }

  private static func tokens(_ settings: Settings) throws(TokenFile.Failure) -> [AccessToken] {
    if settings.noToken == true { return [] }
    if let path = settings.tokenFile {
      do throws(TokenFile.Failure) {
        return try TokenFile.read(path)
      } catch .missing {
        let tokens = freshTokens()
        try TokenFile.write(tokens, to: path)
        return tokens
      }
    }
    let port = settings.port ?? Settings.standardPort
    guard port > 0 || settings.unix != nil else { return freshTokens() }
    // Reuse the tokens of the last run, so that the cookies of open pages stay valid. An unreadable
    // or exposed file is an error, because replacing it would sign out every browser silently.
    do throws(TokenFile.Failure) {
      return try TokenFile.read(try TokenFile.standardPath(for: settings.address, port: port))
    } catch .missing {
      return freshTokens()
    }
  }

  /// Writes new tokens to the standard file, once the port is known.
  ///
  /// - Returns: The path of the file that holds the tokens; `nil` without tokens.
  func publish(_ settings: Settings, port: Int) throws(TokenFile.Failure) -> String? {
    guard !tokens.isEmpty else { return nil }
    if let path = settings.tokenFile { return path }
    let path = try TokenFile.standardPath(for: settings.address, port: port)
    if (try? TokenFile.read(path)) != tokens { try TokenFile.write(tokens, to: path) }
    return path
  }

  /// Returns the first token of a role in a file, which is added if it is missing.
  static func token(of role: Role, in path: String) throws(TokenFile.Failure) -> AccessToken {
    let tokens = try TokenFile.read(path)
    if let token = tokens.first(where: { $0.role == role }) { return token }
    let token = AccessToken(role: role)
    try TokenFile.write(tokens + [token], to: path)
    return token
  }

  /// Replaces every token in a file with a new one of the same role.
  static func rotate(_ path: String) throws(TokenFile.Failure) {
    let roles = try TokenFile.read(path).map(\.role)
    try TokenFile.write(roles.map { AccessToken(role: $0) }, to: path)
  }
}
