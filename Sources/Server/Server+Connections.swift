import CWebSockets
import Glibc
import ListEngine

extension Server {
  /// Sends away those that make others wait.
  func dismissTardy(at now: Instant) {
    let tardy = connections.tardy(at: now) { socket in
      var byte: UInt8 = 0
      return recv(lws_get_socket_fd(socket), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) <= 0
    }
    // At once: between two periodicTimer libwebsockets looks at no timer. One that goes can take another one with it.
    for socket in tardy where connections.isOnTheWay(socket) {
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
    if !tardy.isEmpty { logger.debug("slow strangers are sent away", metadata: ["count": "\(tardy.count)"]) }
  }

  /// Sends away those who have left while their answers wait.
  func dismissThoseWhoLeft(at now: Instant) {
    for socket in waiting.takeLeft(at: now, hasLeft: { WaitingClients.hasLeft(lws_get_socket_fd($0), $1) }) {
      waiting.remove(socket)
      // Or libwebsockets would try for seconds to get rid of what it still holds for him, and come again at once all that time.
      shutdown(lws_get_socket_fd(socket), Int32(SHUT_RDWR))
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
  }

  /// An answer has to wait for a source. Nothing must be written until ``goOn(_:)``.
  func holdBack(_ socket: OpaquePointer) {
    lws_rx_flow_control(socket, 0)
    waiting.add(socket, for: .source, at: EventLoop.now)
    loop.requestTurn()
  }

  /// The answer is there.
  func goOn(_ socket: OpaquePointer) {
    if waiting.remove(socket) == .source { lws_rx_flow_control(socket, 1) }
  }

  /// There is more to write, when the client has taken what he was given.
  func writeMore(to socket: OpaquePointer) {
    waiting.add(socket, for: .client, at: EventLoop.now)
    loop.requestTurn()
    lws_callback_on_writable(socket)
  }

  /// Where a socket's other end is; `nil` when it is on this machine.
  static func remoteAddress(of descriptor: Int32) -> String? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isKnown = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(descriptor, address, &size) == 0 && address.pointee.sa_family != sa_family_t(AF_UNIX)
          && getnameinfo(address, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
      }
    }
    guard isKnown else { return nil }
    var text = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix("::ffff:") { text.removeFirst(7) }
    return text.hasPrefix("127.") || text == "::1" ? nil : text
  }
}
