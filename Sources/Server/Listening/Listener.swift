import CWebSockets
import ListEngine

/// The open port: the context of libwebsockets, and the address under which clients reach it.
final class Listener {
  /// The port that the server listens on.
  private(set) var port = 0
  /// The base URL for browsers; the first of the public URLs, if there are any.
  private(set) var url = ""
  /// The TLS context of the port, into which new certificates are loaded.
  var tlsContext: OpaquePointer?
  private let arena: ContextArena
  private var context: OpaquePointer?
  private var unixSocket: UnixSocket?

  init(_ configuration: ServerConfiguration) throws(ServerError) {
    if case .unix(let path) = configuration.address { unixSocket = try UnixSocket(path: path) }
    arena = ContextArena(
      configuration.address, certificate: configuration.certificate, socketPath: unixSocket?.draftPath)
  }

  /// Opens the port.
  ///
  /// - Parameter owner: The pointer that callbacks find in their context.
  func open(_ configuration: ServerConfiguration, on loop: EventLoop, owner: UnsafeMutableRawPointer)
    throws(ServerError)
  {
    var info = arena.contextInfo(loop: loop.handle, user: owner)
    context = lws_create_context(&info)
    guard let context else { throw .noWebSockets }
    arena.context.pointee = context
    var vhostInfo = arena.vhostInfo(port: configuration.address.isUnix ? 0 : configuration.port)
    let vhost = lws_create_vhost(context, &vhostInfo)
    if let unixSocket {
      guard vhost != nil else { throw .socketUnavailable(unixSocket.path) }
      try unixSocket.publish()
    } else {
      if let vhost { port = Int(lws_get_vhost_listen_port(vhost)) }
      guard port > 0 else {
        if vhost == nil, let certificate = configuration.certificate, !certificate.isUsable {
          throw .badCertificate(certificate.chain)
        }
        throw .portUnavailable(configuration.address.host, configuration.port)
      }
    }
    let scheme = configuration.certificate == nil ? "http" : "https"
    url =
      configuration.publicURLs.first?.description
      ?? (unixSocket.map { "unix:\($0.path)" } ?? "\(scheme)://\(configuration.address.host):\(port)/")
  }

  /// Closes the port and all sockets.
  func close(_ loop: EventLoop) {
    if let context { lws_context_destroy(context) }
    context = nil
    loop.drain()
    // On a foreign loop, destruction pauses until the handles are closed, and must then be called
    // again.
    if let context = arena.context.pointee { lws_context_destroy(context) }
    loop.close()
    unixSocket = nil
  }
}
