/// An environment failure that prevents the server from starting.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The port is in use, or the process may not use it.
  case portUnavailable(String, Int)
  /// The Unix socket is in use, or its path is not writable.
  case socketUnavailable(String)
  /// The certificate or its key is not readable, or they do not belong together.
  case badCertificate(String)
  /// The address is reachable from other machines, but tokens or a certificate are missing.
  case exposed(String)
  /// The folder of the saved views cannot be created, read or written.
  case viewsUnavailable(String, String)
  /// libwebsockets does not start because the installation is incomplete.
  case noWebSockets

  /// A description of the error for operators.
  public var description: String {
    switch self {
    case .portUnavailable(let host, let port):
      "cannot listen on \(host):\(port): the port is in use or not allowed; choose another one with --port"
    case .socketUnavailable(let path):
      "cannot listen on \(path): the path is in use, too long or not writable"
    case .badCertificate(let path):
      "the certificate \(path) or its key is not usable: both must exist, be in PEM and belong together"
    case .exposed(let host):
      "refusing to listen on \(host), which others can reach, without a token and a certificate "
        + "(--tls-certificate and --tls-key)"
    case .viewsUnavailable(let path, let reason):
      "the folder for views \(path) is not usable: \(reason); name one with --views that this user can write"
    case .noWebSockets:
      "libwebsockets does not start on libuv; is the Debian package libwebsockets-evlib-uv installed?"
    }
  }
}
