import CWebSockets
import Glibc

/// A TLS client with a choice of versions and protocols.
final class TLSClient {
  private let context: OpaquePointer
  private let session: OpaquePointer
  private let socket: RawSocket
  /// Whether the handshake succeeded.
  let isConnected: Bool

  /// The commands of OpenSSL macros that Swift does not import.
  private static let setLeastVersion: Int32 = 123
  private static let setGreatestVersion: Int32 = 124

  init(port: Int, version: Int32? = nil, ciphers: String? = nil, protocols: [String] = []) throws {
    socket = try RawSocket(port: port)
    context = SSL_CTX_new(TLS_client_method())
    if let version {
      SSL_CTX_ctrl(context, Self.setLeastVersion, Int(version), nil)
      SSL_CTX_ctrl(context, Self.setGreatestVersion, Int(version), nil)
    }
    // Allow obsolete versions and ciphers.
    SSL_CTX_set_security_level(context, 0)
    if let ciphers { SSL_CTX_set_cipher_list(context, ciphers) }
    session = SSL_new(context)
    let names = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !names.isEmpty { SSL_set_alpn_protos(session, names, UInt32(names.count)) }
    SSL_set_fd(session, socket.descriptor)
    isConnected = SSL_connect(session) == 1
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
  }

  var version: String { String(cString: SSL_get_version(session)) }

  /// The subject of the server's certificate.
  var peer: String {
    guard let certificate = SSL_get1_peer_certificate(session) else { return "" }
    defer { X509_free(certificate) }
    var buffer = [CChar](repeating: 0, count: 256)
    guard X509_NAME_oneline(X509_get_subject_name(certificate), &buffer, Int32(buffer.count)) != nil else { return "" }
    return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// The protocol negotiated by ALPN.
  var agreedProtocol: String {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(session, &name, &count)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    SSL_write(session, bytes, Int32(bytes.count))
  }

  /// Receives data until it satisfies the condition or the server closes the connection.
  func receive(until isEnough: (String) -> Bool = { _ in false }) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(String(decoding: bytes, as: UTF8.self)) {
      let count = SSL_read(session, &buffer, Int32(buffer.count))
      guard count > 0 else { break }
      bytes += buffer[..<Int(count)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
