/// What can be chosen anew while a server runs.
public struct ServerChanges: Sendable {
  /// What lets somebody in. A page whose token is not among them any more is shown out.
  public var tokens: [AccessToken]
  /// Whether everyone may only look.
  public var isReadOnly: Bool
  /// By which other addresses browsers know it.
  public var publicURLs: [PublicURL]
  /// The least time between two patches of a page that wishes none; for those that open a table from now on.
  public var interval: Duration
  /// The certificate, read again; `nil` to keep the present one. A server without one gets none.
  public var certificate: Certificate?

  /// These choices.
  public init(
    tokens: [AccessToken], isReadOnly: Bool, publicURLs: [PublicURL], interval: Duration,
    certificate: Certificate? = nil
  ) {
    self.certificate = certificate
    self.tokens = tokens
    self.isReadOnly = isReadOnly
    self.publicURLs = publicURLs
    self.interval = interval
  }
}

extension Server {
  private func reload(_ certificate: Certificate?) {
    guard let certificate, let tlsContext else { return }
    guard certificate.load(into: tlsContext) else {
      logger.error("the new certificate is not used, the old one stays", metadata: ["file": "\(certificate.chain)"])
      return
    }
    logger.info("the certificate was read again")
  }

  /// Takes what was chosen anew; `nil` when all stays as it was.
  func apply(_ changes: ServerChanges?) {
    defer { configuration.systemManager?.tellReady("listening on \(url)") }
    guard let changes else { return }
    // Where everyone on the network could come, a server does not go without tokens.
    let tokens = changes.tokens.isEmpty && !configuration.address.isLocal ? configuration.tokens : changes.tokens
    configuration.tokens = tokens
    sessionShares.limit = configuration.sessionShare
    downloadShares.limit = configuration.exportShare
    configuration.isReadOnly = changes.isReadOnly
    configuration.publicURLs = changes.publicURLs
    reload(changes.certificate)
    access.change(tokens: tokens, isReadOnly: changes.isReadOnly)
    guardian = RequestGuard(
      address: configuration.address, port: port, isSecure: configuration.certificate != nil,
      publicURLs: changes.publicURLs)
    engine.setInterval(changes.interval, at: EventLoop.now)
    for session in sessions.values where !session.isClosing {
      guard let pass = access.renew(session.pass) else {
        engine.handle(.close(session.id), at: EventLoop.now)
        session.beginClosing(1008, "not let in any more")
        continue
      }
      session.pass = pass
    }
  }
}
