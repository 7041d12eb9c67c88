import CWebSockets

/// The certificate and private key files of a TLS server.
public struct Certificate: Hashable, Sendable {
  /// The path of the certificate chain in PEM.
  public var chain: String
  /// The path of the private key in PEM.
  public var key: String

  /// Creates a reference to these files.
  public init(chain: String, key: String) {
    self.chain = chain
    self.key = key
  }

  /// Loads the current files into a TLS context; open connections keep their certificate.
  ///
  /// - Returns: Whether the files are usable; if not, the context is unchanged.
  func load(into context: OpaquePointer) -> Bool {
    isUsable && SSL_CTX_use_certificate_chain_file(context, chain) == 1
      && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
  }

  /// Whether both files are readable and belong together.
  public var isUsable: Bool {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return false }
    defer { SSL_CTX_free(context) }
    return SSL_CTX_use_certificate_chain_file(context, chain) == 1
      && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
      && SSL_CTX_check_private_key(context) == 1
  }
}
