import CWebSockets
import Glibc
import ListEngine

/// Who is connected without being a page yet, and how many connections each address has.
///
/// libwebsockets has memory for 256 requests on their way in; whoever comes when all of it is taken waits. So those that make us wait are
/// sent away when there are many: the oldest of those that have sent nothing more for us to read. Somebody who wants something says so
/// at once, and is through before its turn comes.
struct Connections {
  /// How many may be on their way in before the tardy ones have to go; below libwebsockets' 256.
  static let greatestCount = 200
  /// How long each may take then.
  static let patience: Duration = .milliseconds(250)
  private static let pause: Duration = .milliseconds(100)

  private struct Entry {
    var socket: OpaquePointer
    var number: UInt64
    var since: Instant
  }

  private let limitPerAddress: Int
  private var arrivals: [Entry] = []
  /// The numbers of those that are still on their way in.
  private var numbers: [OpaquePointer: UInt64] = [:]
  private var last: UInt64 = 0
  private var nextLook = Instant.zero
  private var addresses: [OpaquePointer: String] = [:]
  private var counts: [String: Int] = [:]
  private var admitted: String?
  /// How many requests were answered on connections that are kept.
  private var answers: [OpaquePointer: Int] = [:]
  /// So many requests may come on one connection.
  static let greatestRequestCount = 100

  init(limitPerAddress: Int) { self.limitPerAddress = limitPerAddress }

  /// How many are on their way in.
  var count: Int { numbers.count }

  // MARK: Coming and going

  /// Whether somebody else may come from this address; `nil` is this machine, which everyone on it shares.
  mutating func admit(from address: String?) -> Bool {
    admitted = address.map(FailureLimiter.network)
    guard let admitted else { return true }
    return counts[admitted, default: 0] < limitPerAddress
  }

  /// Notes the socket of whoever was admitted last.
  mutating func add(_ socket: OpaquePointer, at now: Instant) {
    last += 1
    numbers[socket] = last
    arrivals.append(Entry(socket: socket, number: last, since: now))
    if let admitted {
      addresses[socket] = admitted
      counts[admitted, default: 0] += 1
    }
    admitted = nil
    // What has gone is taken out before it is more than what is there.
    if arrivals.count > 64, arrivals.count > 2 * numbers.count { sweep() }
  }

  /// Notes that somebody is in: a page, or an answer that takes its time.
  mutating func settle(_ socket: OpaquePointer) { numbers[socket] = nil }

  /// Counts a request that is answered; whether another one may follow on its connection. One that waits for it is on its way in.
  mutating func mayAskForMore(_ socket: OpaquePointer) -> Bool {
    let count = answers[socket, default: 0] + 1
    answers[socket] = count
    return count < Self.greatestRequestCount
  }

  /// Whether a request was answered on this connection, and it was kept.
  func hasAnswered(_ socket: OpaquePointer) -> Bool { answers[socket] != nil }

  /// Notes that somebody has gone.
  mutating func remove(_ socket: OpaquePointer) {
    numbers[socket] = nil
    answers[socket] = nil
    guard let address = addresses.removeValue(forKey: socket), let count = counts[address] else { return }
    counts[address] = count > 1 ? count - 1 : nil
  }

  private mutating func sweep() { arrivals.removeAll { numbers[$0.socket] != $0.number } }

  // MARK: Those that make us wait

  /// When to call ``tardy(at:isSilent:)``; `nil` while there is room for all.
  var deadline: Instant? { numbers.count > Self.greatestCount ? nextLook : nil }

  /// The oldest of those that have to go.
  ///
  /// - Parameter isSilent: whether all that it has sent was read, so that we wait for it and not it for us.
  mutating func tardy(at now: Instant, isSilent: (OpaquePointer) -> Bool) -> [OpaquePointer] {
    guard numbers.count > Self.greatestCount, now >= nextLook else { return [] }
    nextLook = now.advanced(by: Self.pause)
    sweep()
    let excess = numbers.count - Self.greatestCount
    var tardy: [OpaquePointer] = []
    for entry in arrivals {
      guard tardy.count < excess, entry.since.duration(to: now) >= Self.patience else { break }
      if isSilent(entry.socket) { tardy.append(entry.socket) }
    }
    return tardy
  }

  /// Whether it is still there, and neither a page nor an answer that takes its time.
  func isOnTheWay(_ socket: OpaquePointer) -> Bool { numbers[socket] != nil }
}

extension Server {
  /// Sends away those that make others wait.
  func dismissTardy(at now: Instant) {
    let tardy = connections.tardy(at: now) { socket in
      var byte: UInt8 = 0
      return recv(lws_get_socket_fd(socket), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) <= 0
    }
    // At once: between two rounds libwebsockets looks at no timer. One that goes can take another one with it.
    for socket in tardy where connections.isOnTheWay(socket) {
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
    if !tardy.isEmpty { logger.debug("slow strangers are sent away", metadata: ["count": "\(tardy.count)"]) }
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
