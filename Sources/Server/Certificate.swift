import CWebSockets

/// With which files a server proves who it is.
public struct Certificate: Hashable, Sendable {
  /// The path of the certificate, and of those that vouch for it behind it, in PEM.
  public var chain: String
  /// The path of its private key, in PEM.
  public var key: String

  /// The certificate in these files.
  public init(chain: String, key: String) {
    self.chain = chain
    self.key = key
  }

  /// Puts the files, as they are now, into a context; connections that are open keep what they have. False: they cannot be used, and
  /// nothing has changed.
  func load(into context: OpaquePointer) -> Bool {
    isUsable && SSL_CTX_use_certificate_chain_file(context, chain) == 1
      && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
  }

  /// Whether both files are there, can be read and belong together.
  public var isUsable: Bool {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return false }
    defer { SSL_CTX_free(context) }
    return SSL_CTX_use_certificate_chain_file(context, chain) == 1
      && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
      && SSL_CTX_check_private_key(context) == 1
  }
}
