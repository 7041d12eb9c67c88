import CWebSockets
import Glibc

/// Everything that libwebsockets is given by address and keeps: it must outlive the context, and goes with the arena.
final class ContextArena {
  /// Under what libwebsockets itself answers.
  private static let headers = HTTPResponse.safetyHeaders + [HTTPResponse.fileCaching]

  private static let greatestWrite = 1 << 20

  private let address: ListenAddress
  private let certificate: Certificate?
  /// What libwebsockets calls the interface to listen on; `nil` for all.
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
  /// The context, as long as libwebsockets has not freed it.
  let context: UnsafeMutablePointer<OpaquePointer?>

  /// - Parameter socketPath: where a Unix socket is made.
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
    // For TLS 1.2: forward secrecy and authenticated encryption only. TLS 1.3 has nothing else.
    ciphers = strdup("ECDHE+AESGCM:ECDHE+CHACHA20")
    vhostName = strdup("rowcast")
    alpn = strdup("http/1.1")
    // The first one takes all plain requests, and every upgrade that names none of them: those are refused.
    let names: [String] = ["http", RequestGuard.subprotocol]
    protocolNames = names.map { strdup($0)! }
    protocols = .allocate(capacity: protocolNames.count + 1)
    for (index, name) in protocolNames.enumerated() {
      var entry = lws_protocols()
      entry.name = UnsafePointer(name)
      entry.callback = libraryCallback
      // All that the socket takes in one call. Left alone, libwebsockets hands over 4 KiB at a time and copies the rest each time.
      entry.tx_packet_size = Self.greatestWrite
      (protocols + index).initialize(to: entry)
    }
    (protocols + protocolNames.count).initialize(to: lws_protocols())
    idlePolicy = .allocate(capacity: 1)
    idlePolicy.initialize(to: lws_retry_bo_t())
    // As good as never: pages are asked by `Keepalive`, at no cost in libwebsockets' list of timers.
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
    // UTF-8 is looked at only when the context says so; the vhost's word for it does nothing in 4.1.6.
    info.options =
      UInt64(LWS_SERVER_OPTION_LIBUV) | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
      | UInt64(LWS_SERVER_OPTION_VALIDATE_UTF8)
      // Here and at the vhost, or the port speaks plain text without a word.
      | (certificate == nil ? 0 : UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT))
    // Slow strangers: the time for a request, and how many requests may be on their way in at once.
    info.timeout_secs = 5
    // Twice what a request may have: so that one with too much gets an answer.
    info.max_http_header_data = UInt16(2 * RequestGuard.greatestHead)
    info.max_http_header_pool = 256
    // HTTP/2 stays closed (CVE-2026-19773), and so do extensions: permessage-deflate ends the process in this version.
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
