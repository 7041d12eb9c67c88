import ListEngine

/// The settings that can change while a server runs.
public struct ServerChanges: Sendable {
  /// The accepted tokens; sessions with any other token are closed.
  public var tokens: [AccessToken]
  /// Whether all clients are viewers.
  public var isReadOnly: Bool
  /// The URLs under which browsers reach the server.
  public var publicURLs: [PublicURL]
  /// The default minimum interval between two patches, for tables opened from now on.
  public var interval: Duration
  /// The certificate to load; `nil` keeps the current one.
  ///
  /// A server without TLS ignores it.
  public var certificate: Certificate?

  /// Creates a set of changes.
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
    guard let certificate, let context = listener.tlsContext else { return }
    guard certificate.load(into: context) else {
      operations.logger.error(
        "the new certificate is not used, the old one stays", metadata: ["file": "\(certificate.chain)"])
      return
    }
    operations.logger.info("the certificate was reloaded")
  }

  /// Applies the changes, or only reports readiness if they are `nil`.
  func apply(_ changes: ServerChanges?) {
    defer { operations.systemManager?.notifyReady("listening on \(url)") }
    guard let changes else { return }
    // A server that others can reach keeps its tokens if the new list is empty.
    let tokens = changes.tokens.isEmpty && !configuration.address.isLocal ? configuration.tokens : changes.tokens
    configuration.tokens = tokens
    clients.shareLimit = configuration.sessionShare
    exchanges.exportShares.limit = configuration.exportShare
    configuration.isReadOnly = changes.isReadOnly
    configuration.publicURLs = changes.publicURLs
    reload(changes.certificate)
    access.change(tokens: tokens, isReadOnly: changes.isReadOnly)
    exchanges.requestGuard = RequestGuard(configuration, port: port)
    engine.setInterval(changes.interval, at: EventLoop.now)
    renewPasses()
  }

  /// Closes the sessions of tokens and sign-ins that are no longer valid, and gives the others
  /// their role.
  func renewPasses() {
    for client in clients.all where !client.isClosing {
      guard let pass = access.renew(client.pass) else {
        end(client, "access has ended")
        continue
      }
      if pass.role != client.pass.role,
        engine.tables(at: EventLoop.now)
          .contains(where: { $0.schema != $0.schema.restricted || !$0.schema.actions.isEmpty })
      {
        // The client reconnects, and receives the columns and actions of its new role.
        end(client, "the role has changed")
        continue
      }
      client.pass = pass
    }
  }

  private func end(_ client: ClientConnection, _ reason: String) {
    engine.handle(.close(client.id), at: EventLoop.now)
    client.beginClosing(1008, reason)
  }

  // MARK: Sign-ins

  /// Ends the sign-in of a client: every connection with its cookie is closed, and the cookie is
  /// void.
  func signOut(_ client: ClientConnection) throws(ClientError) {
    guard let id = client.pass.signIn else {
      throw .unexpectedMessage("this connection came with a token, not with a sign-in that could end")
    }
    access.endSignIn(id, client.pass.role)
    for other in clients.all where other.pass.signIn == id && !other.isClosing { end(other, "signed out") }
    control.publish(access.signIns)
  }

  /// Takes over sign-ins that were ended elsewhere, and publishes those of this server.
  func takeSignIns() {
    let others = control.takeOtherSignIns()
    for signIns in others { access.merge(signIns) }
    if !others.isEmpty { renewPasses() }
    if access.signIns != control.signIns { control.publish(access.signIns) }
  }
}
