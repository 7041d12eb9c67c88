import Foundation

/// A proxy that simulates network faults between clients and a server.
///
/// It delays, splits and throttles data, and resets or half-closes connections. The faults of each
/// connection follow from its seed (``ConnectionFate``).
final class ChaosProxy: @unchecked Sendable {
  /// The number of faults of each kind so far.
  struct Deeds: Equatable {
    var connections = 0
    var resets = 0
    var halfCloses = 0
    var splits = 0
    var delays = 0
    var slow = 0

    /// Whether each kind of fault has occurred.
    var isEverythingDone: Bool { [resets, halfCloses, splits, delays, slow].allSatisfy { $0 > 0 } }
  }

  /// One direction of a connection.
  private struct Flow {
    let from: Int32
    let to: Int32
    var held: [UInt8] = []
    /// The numbers of bytes and pieces that were forwarded.
    var passed = 0
    var pieces = 0
    /// The time before which nothing is forwarded.
    var notBefore = 0.0
    /// Whether the next piece was delayed already.
    var isDelayed = false
    /// Whether the sender has ended this direction.
    var hasEnded = false
    /// Whether that end was forwarded.
    var isShut = false
    var isFull = false
  }

  private struct Pair {
    var fate: ConnectionFate
    var flows: [Flow]
  }

  private struct Orders {
    var target: Int
    var isCalm = false
    var isOver = false
    var mustCut = false
    var deeds = Deeds()
  }

  /// The maximum number of bytes buffered per direction; beyond it, the sender waits.
  private static let greatestHeld = 65_536

  let port: Int
  private let seed: UInt64
  private let listener: Int32
  private let lock = NSLock()
  private var orders: Orders
  private let hasEnded = DispatchSemaphore(value: 0)
  /// Used only by the proxy's thread.
  private var pairs: [Pair] = []

  /// - Parameter target: The server's port.
  init(to target: Int, seed: UInt64) throws {
    self.seed = seed
    orders = Orders(target: target)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { [listener] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 256) == 0 && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw RawSocket.Failure.notConnected(errno) }
    port = Int(in_port_t(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in run() }
  }

  /// Forwards everything immediately from now on, including data of existing connections.
  func calmDown() { lock.withLock { orders.isCalm = true } }

  /// Resets all connections, and connects new ones to another server.
  func turn(to target: Int) {
    lock.withLock {
      orders.target = target
      orders.mustCut = true
    }
  }

  /// Ends the proxy and all connections.
  func end() {
    lock.withLock { orders.isOver = true }
    hasEnded.wait()
  }

  /// The faults so far.
  var deeds: Deeds { lock.withLock { orders.deeds } }

  private func note(_ deed: WritableKeyPath<Deeds, Int>) { lock.withLock { orders.deeds[keyPath: deed] += 1 } }

  // MARK: Forwarding

  private func run() {
    while true {
      let orders = lock.withLock {
        defer { self.orders.mustCut = false }
        return self.orders
      }
      if orders.mustCut || orders.isOver {
        for pair in pairs { cut(pair) }
        pairs = []
      }
      if orders.isOver { break }
      if orders.isCalm { for index in pairs.indices { pairs[index].fate = .calm } }
      wait()
      meet(orders)
      for index in pairs.indices { carry(&pairs[index]) }
      pairs.removeAll { !goesOn($0) }
    }
    close(listener)
    hasEnded.signal()
  }

  private func wait() {
    let now = RawSocket.now()
    var files = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    var next = now + 0.02
    for flow in pairs.lazy.flatMap(\.flows) {
      if !flow.hasEnded, flow.held.count < Self.greatestHeld {
        files.append(pollfd(fd: flow.from, events: Int16(POLLIN), revents: 0))
      }
      if flow.isFull {
        files.append(pollfd(fd: flow.to, events: Int16(POLLOUT), revents: 0))
      } else if !flow.held.isEmpty {
        next = min(next, flow.notBefore)
      }
    }
    poll(&files, nfds_t(files.count), Int32((max(0, next - now) * 1_000).rounded(.up)))
  }

  private func meet(_ orders: Orders) {
    var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    while poll(&ready, 1, 0) > 0 {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard let server = try? RawSocket(port: orders.target) else {
        close(client)
        continue
      }
      let other = dup(server.descriptor)
      var on: Int32 = 1
      for file in [client, other] {
        _ = fcntl(file, F_SETFL, O_NONBLOCK)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        // Each piece must be sent as it is, without coalescing.
        setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      }
      let fate = orders.isCalm ? .calm : ConnectionFate(seed: seed, connection: deeds.connections)
      note(\.connections)
      if fate.rate > 0 { note(\.slow) }
      pairs.append(Pair(fate: fate, flows: [Flow(from: client, to: other), Flow(from: other, to: client)]))
    }
  }

  // MARK: Connections

  private func carry(_ pair: inout Pair) {
    for direction in ConnectionFate.Direction.allCases {
      take(&pair.flows[direction.rawValue])
      pass(&pair.flows[direction.rawValue], pair.fate, direction)
    }
  }

  private func take(_ flow: inout Flow) {
    guard !flow.hasEnded, flow.held.count < Self.greatestHeld else { return }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(flow.from, &buffer, buffer.count, 0)
    if count == 0 || (count < 0 && errno != EAGAIN) { flow.hasEnded = true }
    if count > 0 { flow.held += buffer[..<count] }
  }

  /// Returns the number of bytes left to forward before the connection ends.
  private func rest(of fate: ConnectionFate, _ direction: ConnectionFate.Direction, passed: Int) -> Int {
    switch fate.end {
    case .reset(direction, let after), .halfClose(direction, let after): max(0, after - passed)
    default: .max
    }
  }

  private func pass(_ flow: inout Flow, _ fate: ConnectionFate, _ direction: ConnectionFate.Direction) {
    let now = RawSocket.now()
    flow.isFull = false
    // Forward a bounded number of pieces, so that one connection does not delay the others.
    for _ in 0..<64 {
      guard !flow.held.isEmpty, fate == .calm || flow.notBefore <= now else { break }
      let count = min(flow.held.count, fate.piece, rest(of: fate, direction, passed: flow.passed))
      guard count > 0 else { break }
      if fate.delayedPiece > 0, !flow.isDelayed, flow.pieces % fate.delayedPiece == fate.delayedPiece - 1 {
        flow.isDelayed = true
        flow.notBefore = now + fate.delay
        note(\.delays)
        break
      }
      let sent = flow.held.withUnsafeBytes { send(flow.to, $0.baseAddress!, count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else {
        flow.isFull = sent < 0 && errno == EAGAIN
        if !flow.isFull {
          flow.hasEnded = true
          flow.held = []
        }
        break
      }
      if sent < flow.held.count { note(\.splits) }
      flow.held.removeFirst(sent)
      flow.passed += sent
      flow.pieces += 1
      flow.isDelayed = false
      if fate.rate > 0 { flow.notBefore = now + Double(sent) / fate.rate }
    }
    if case .halfClose(direction, let after) = fate.end, flow.passed >= after, !flow.hasEnded {
      flow.hasEnded = true
      flow.held = []
      note(\.halfCloses)
    }
    guard flow.hasEnded, flow.held.isEmpty, !flow.isShut else { return }
    flow.isShut = true
    shutdown(flow.to, Int32(SHUT_WR))
  }

  /// Returns whether a connection continues, and closes it otherwise.
  private func goesOn(_ pair: Pair) -> Bool {
    if case .reset(let direction, let after) = pair.fate.end, pair.flows[direction.rawValue].passed >= after {
      note(\.resets)
      cut(pair)
      return false
    }
    guard pair.flows.allSatisfy(\.isShut) else { return true }
    for flow in pair.flows { close(flow.from) }
    return false
  }

  /// Resets the connection on both sides.
  private func cut(_ pair: Pair) {
    for flow in pair.flows {
      var atOnce = linger(l_onoff: 1, l_linger: 0)
      setsockopt(flow.from, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
      close(flow.from)
    }
  }
}
