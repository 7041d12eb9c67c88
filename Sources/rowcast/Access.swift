import Server

/// Whom a server lets in, and where that is kept.
struct Access {
  /// Nobody is asked for anything when there is none.
  let tokens: [AccessToken]

  /// Finds or makes the tokens.
  init(_ settings: Settings) throws(TokenFile.Failure) {
    tokens = try Self.tokens(settings)
  }

  /// Finds the tokens for a server that runs already: only a file can bring new ones.
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
    // One that lies there was left by a server that was killed: its pages come back by themselves.
    let path = try TokenFile.standardPath(for: settings.address, port: port)
    return (try? TokenFile.read(path)) ?? freshTokens()
  }

  /// Puts the tokens where `rowcast url` finds them, once the port is ours.
  ///
  /// - Returns: the file, when it is to go with the server.
  func publish(_ settings: Settings, port: Int) throws(TokenFile.Failure) -> String? {
    guard !tokens.isEmpty, settings.tokenFile == nil else { return nil }
    let path = try TokenFile.standardPath(for: settings.address, port: port)
    try TokenFile.write(tokens, to: path)
    return path
  }
}
