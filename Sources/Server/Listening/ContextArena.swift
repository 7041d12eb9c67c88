import CWebSockets
import Glibc

/// The owner of all memory that libwebsockets references by address; it must outlive the context.
final class ContextArena {
  /// The headers of responses that libwebsockets writes itself.
  private static let headers = HTTPResponse.safetyHeaders + [HTTPResponse.fileCaching]

  private static let greatestWrite = 1 << 20

  private let address: ListenAddress
  private let certificate: Certificate?
  /// The interface to listen on, in libwebsockets' terms; `nil` for all.
  private let interface: UnsafeMutablePointer<CChar>?
  private let chainPath: UnsafeMutablePointer<CChar>?
  private let keyPath: UnsafeMutablePointer<CChar>?
  private let ciphers: UnsafeMutablePointer<CChar>
  private let vhostName: UnsafeMutablePointer<CChar>
  private let alpn: UnsafeMutablePointer<CChar>
  private let protocolNames: [UnsafeMutablePointer<CChar>]
  private let protocols: UnsafeMutablePointer<lws_protocols>
  private let idlePolicy: UnsafeMutablePointer<lws_retry_bo_t>
  private let headers: UnsafeMutablePointer<lws_protocol_vhost_options>
  private let loops: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The context; libwebsockets resets it when the context is freed.
  let context: UnsafeMutablePointer<OpaquePointer?>

  /// - Parameter socketPath: The path at which a Unix socket is created.
  init(_ address: ListenAddress, certificate: Certificate?, socketPath: String?) {
    self.address = address
    self.certificate = certificate
    let name: String? =
      switch address {
      case .ipv4(let name), .ipv6(let name): address.isWildcard ? nil : name
      case .unix(let path): socketPath ?? path
      }
    interface = name.map { strdup($0)! }
    chainPath = certificate.map { strdup($0.chain)! }
    keyPath = certificate.map { strdup($0.key)! }
    // Restricts TLS 1.2 to forward secrecy and authenticated encryption, which TLS 1.3 always has.
    ciphers = strdup("ECDHE+AESGCM:ECDHE+CHACHA20")
    vhostName = strdup("rowcast")
    alpn = strdup("http/1.1")
    // The first protocol handles plain requests and upgrades without a known subprotocol, which are
    // refused.
    let names: [String] = ["http", RequestGuard.subprotocol]
    protocolNames = names.map { strdup($0)! }
    protocols = .allocate(capacity: protocolNames.count + 1)
    for (index, name) in protocolNames.enumerated() {
      var entry = lws_protocols()
      entry.name = UnsafePointer(name)
      entry.callback = libraryCallback
      // Write as much as the socket accepts per call. By default libwebsockets writes 4 KiB at a
      // time and copies the rest each time.
      entry.tx_packet_size = Self.greatestWrite
      (protocols + index).initialize(to: entry)
    }
    (protocols + protocolNames.count).initialize(to: lws_protocols())
    idlePolicy = .allocate(capacity: 1)
    idlePolicy.initialize(to: lws_retry_bo_t())
    // Practically never: `Keepalive` sends the keepalive pings, without libwebsockets' sorted timer
    // list.
    idlePolicy.pointee.secs_since_valid_ping = 12 * 3_600
    idlePolicy.pointee.secs_since_valid_hangup = 12 * 3_600 + 60
    headers = .allocate(capacity: Self.headers.count)
    for (index, header) in Self.headers.enumerated() {
      var option = lws_protocol_vhost_options()
      option.name = UnsafePointer(strdup("\(header.name.lowercased()):"))
      option.value = UnsafePointer(strdup(header.value))
      let isLast = index == Self.headers.count - 1
      option.next = isLast ? nil : UnsafePointer(headers + index + 1)
      (headers + index).initialize(to: option)
    }
    loops = .allocate(capacity: 1)
    loops.initialize(to: nil)
    context = .allocate(capacity: 1)
    context.initialize(to: nil)
  }

  deinit {
    free(interface)
    free(chainPath)
    free(keyPath)
    free(ciphers)
    free(vhostName)
    free(alpn)
    protocolNames.forEach { free($0) }
    protocols.deallocate()
    idlePolicy.deallocate()
    for index in Self.headers.indices {
      free(UnsafeMutablePointer(mutating: headers[index].name))
      free(UnsafeMutablePointer(mutating: headers[index].value))
    }
    headers.deallocate()
    loops.deallocate()
    context.deallocate()
  }

  func contextInfo(loop: UnsafeMutablePointer<uv_loop_t>, user: UnsafeMutableRawPointer) -> lws_context_creation_info {
    loops.pointee = UnsafeMutableRawPointer(loop)
    var info = lws_context_creation_info()
    info.port = CONTEXT_PORT_NO_LISTEN
    info.user = user
    info.foreign_loops = loops
    info.pcontext = context
    // UTF-8 is validated only if the context requests it; the vhost option has no effect in 4.1.6.
    info.options =
      UInt64(LWS_SERVER_OPTION_LIBUV) | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
      | UInt64(LWS_SERVER_OPTION_VALIDATE_UTF8)
      // Required for the context and the vhost; otherwise the port silently serves plain text.
      | (certificate == nil ? 0 : UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT))
    // Protection against slow clients: the time for a request, and the number of incomplete
    // requests.
    info.timeout_secs = 5
    // Twice the accepted size, so that a request that is too large gets an answer.
    info.max_http_header_data = UInt16(2 * RequestGuard.greatestHead)
    info.max_http_header_pool = 256
    // HTTP/2 stays disabled (CVE-2026-19773). So do extensions: permessage-deflate crashes this
    // version.
    info.alpn = UnsafePointer(alpn)
    info.extensions = nil
    info.retry_and_idle_policy = UnsafePointer(idlePolicy)
    return info
  }

  func vhostInfo(port: Int) -> lws_context_creation_info {
    var info = lws_context_creation_info()
    info.port = Int32(port)
    info.iface = UnsafePointer(interface)
    info.vhost_name = UnsafePointer(vhostName)
    info.protocols = UnsafePointer(protocols)
    info.options =
      UInt64(LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND) | UInt64(LWS_SERVER_OPTION_VALIDATE_UTF8)
    switch address {
    case .ipv4: info.options |= UInt64(LWS_SERVER_OPTION_DISABLE_IPV6)
    case .ipv6: break
    case .unix: info.options |= UInt64(LWS_SERVER_OPTION_UNIX_SOCK)
    }
    if certificate != nil {
      info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
      info.ssl_cert_filepath = UnsafePointer(chainPath)
      info.ssl_private_key_filepath = UnsafePointer(keyPath)
      info.ssl_cipher_list = UnsafePointer(ciphers)
      info.ssl_options_set = CLWS_TLS_OPTIONS
    }
    info.alpn = UnsafePointer(alpn)
    info.extensions = nil
    info.headers = UnsafePointer(headers)
    info.timeout_secs_ah_idle = 5
    info.keepalive_timeout = 5
    info.retry_and_idle_policy = UnsafePointer(idlePolicy)
    return info
  }
}
