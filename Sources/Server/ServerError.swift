/// The world's fault: the server cannot start.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process listens there, or the port is not ours to take.
  case portUnavailable(String, Int)
  /// libwebsockets does not start; the installation is incomplete.
  case noWebSockets

  /// One line for people.
  public var description: String {
    switch self {
    case .portUnavailable(let host, let port):
      "cannot listen on \(host):\(port): the port is in use or not allowed; choose another one with --port"
    case .noWebSockets:
      "libwebsockets does not start on libuv; is the Debian package libwebsockets-evlib-uv installed?"
    }
  }
}
