import CWebSockets
import Glibc
import ListEngine

extension Server {
  /// Closes slow connections while too many requests are incomplete.
  func closeOverdue(at now: Instant) {
    let overdue = exchanges.connections.overdue(at: now) { socket in
      var byte: UInt8 = 0
      return recv(lws_get_socket_fd(socket), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) <= 0
    }
    // Close synchronously, because libwebsockets checks timeouts only between iterations. Closing
    // one socket may close another one of the list.
    for socket in overdue where exchanges.connections.isOnTheWay(socket) {
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
    if !overdue.isEmpty {
      operations.logger.debug("slow clients are disconnected", metadata: ["count": "\(overdue.count)"])
    }
  }

  /// Closes connections whose client has disconnected while an answer is pending.
  func closeDeparted(at now: Instant) {
    for socket in exchanges.waiting.takeLeft(at: now, hasLeft: { WaitingClients.hasLeft(lws_get_socket_fd($0), $1) }) {
      exchanges.waiting.remove(socket)
      // Without a shutdown, libwebsockets would try for seconds to flush its buffer, in a busy
      // loop.
      shutdown(lws_get_socket_fd(socket), Int32(SHUT_RDWR))
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
  }

  /// Suspends an answer that waits for a source; nothing may be written until ``goOn(_:)``.
  func holdBack(_ socket: OpaquePointer) {
    lws_rx_flow_control(socket, 0)
    exchanges.waiting.add(socket, for: .source, at: EventLoop.now)
    loop.requestTurn()
  }

  /// Resumes a suspended answer.
  func goOn(_ socket: OpaquePointer) {
    if exchanges.waiting.remove(socket) == .source { lws_rx_flow_control(socket, 1) }
  }

  /// Schedules the next write for when the client has accepted the previous one.
  func writeMore(to socket: OpaquePointer) {
    exchanges.waiting.add(socket, for: .client, at: EventLoop.now)
    loop.requestTurn()
    lws_callback_on_writable(socket)
  }

  /// Returns the peer address of a socket, or `nil` if the peer is on this machine.
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
