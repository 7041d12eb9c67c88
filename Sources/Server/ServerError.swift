/// The world's fault: the server cannot start.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process listens there, or the port is not ours to take.
  case portUnavailable(String, Int)
  /// Another process listens there, or the path is not ours to write.
  case socketUnavailable(String)
  /// The certificate or its key cannot be read, or they do not belong together.
  case badCertificate(String)
  /// Others than this machine could reach it without being asked who they are.
  case exposed(String)
  /// libwebsockets does not start; the installation is incomplete.
  case noWebSockets

  /// One line for people.
  public var description: String {
    switch self {
    case .portUnavailable(let host, let port):
      "cannot listen on \(host):\(port): the port is in use or not allowed; choose another one with --port"
    case .socketUnavailable(let path):
      "cannot listen on \(path): the path is in use, too long or not writable"
    case .badCertificate(let path):
      "the certificate \(path) or its key cannot be used: both must be there, in PEM, and belong together"
    case .exposed(let host):
      "refusing to listen on \(host), which others can reach, without a token and a certificate "
        + "(--tls-certificate and --tls-key)"
    case .noWebSockets:
      "libwebsockets does not start on libuv; is the Debian package libwebsockets-evlib-uv installed?"
    }
  }
}
