import Foundation

/// Stands between clients and a server and does to their bytes what networks do, drawn from a seed: holds them back, cuts them up, slows them down,
/// resets connections, closes one half of them.
final class ChaosProxy: @unchecked Sendable {
  private struct Chunk {
    var bytes: ArraySlice<UInt8>
    /// Not before this moment.
    var due: Double
  }

  /// One direction of a connection.
  private struct Flow {
    var from: Int32
    var to: Int32
    var chunks: [Chunk] = []
    var hasEnded = false
    /// Whether the end was passed on.
    var isShut = false
    /// At most so many bytes at once.
    var piece: Int
  }

  private struct Pair {
    var flows: [Flow]
    /// It is reset then.
    var resetAt: Double
    /// One of its halves is closed then.
    var halfCloseAt: Double
  }

  private(set) var port = 0
  private let target: Int
  private let listener: Int32
  private let lock = NSLock()
  private var isCalm = false
  private var isOver = false
  private var counts = (resets: 0, halfCloses: 0, connections: 0)
  // Of the thread.
  private var pairs: [Pair] = []
  private var random: SplitMix

  /// A small generator whose numbers follow from its seed.
  struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  init(to target: Int, seed: UInt64) throws {
    self.target = target
    random = SplitMix(state: seed)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, address, &size) == 0
      }
    }
    guard status else { throw RawSocket.Failure.notConnected(errno) }
    port = Int(in_port_t(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in run() }
  }

  /// From now on everything is passed on at once.
  func calmDown() { lock.withLock { isCalm = true } }

  /// Ends it.
  func end() { lock.withLock { isOver = true } }

  /// What it did.
  var deeds: (resets: Int, halfCloses: Int, connections: Int) { lock.withLock { counts } }

  // MARK: The thread

  private func run() {
    while true {
      let (isCalm, isOver) = lock.withLock { (self.isCalm, self.isOver) }
      if isOver { break }
      let now = RawSocket.now()
      if isCalm { for index in pairs.indices { calm(&pairs[index]) } }
      pairs = pairs.filter { !isFinished($0, at: now) }
      wait(at: now)
      var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, 0) > 0 { meet(isCalm: isCalm, at: now) }
      for index in pairs.indices { carry(&pairs[index], isCalm: isCalm, at: RawSocket.now()) }
    }
    for pair in pairs { pair.flows.forEach { close($0.from) } }
    close(listener)
  }

  private func wait(at now: Double) {
    var files = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    var next = now + 0.05
    for flow in pairs.flatMap(\.flows) {
      // It reads no further than it has passed on.
      if !flow.hasEnded, flow.chunks.count < 64 {
        files.append(pollfd(fd: flow.from, events: Int16(POLLIN), revents: 0))
      }
      if let first = flow.chunks.first { next = min(next, first.due) }
    }
    poll(&files, nfds_t(files.count), Int32(max(0, next - now) * 1_000) + 1)
  }

  private func meet(isCalm: Bool, at now: Double) {
    let client = accept(listener, nil, nil)
    guard client >= 0, let server = try? RawSocket(port: target) else { return }
    let other = dup(server.descriptor)
    for file in [client, other] { _ = fcntl(file, F_SETFL, O_NONBLOCK) }
    lock.withLock { counts.connections += 1 }
    func chance(_ part: Double) -> Bool { !isCalm && Double.random(in: 0..<1, using: &random) < part }
    func piece() -> Int { chance(0.5) ? Int.random(in: 1...64, using: &random) : 65_536 }
    pairs.append(
      Pair(
        flows: [Flow(from: client, to: other, piece: piece()), Flow(from: other, to: client, piece: piece())],
        resetAt: chance(0.5) ? now + Double.random(in: 0...0.5, using: &random) : .infinity,
        halfCloseAt: chance(0.3) ? now + Double.random(in: 0...0.5, using: &random) : .infinity))
  }

  private func calm(_ pair: inout Pair) {
    pair.resetAt = .infinity
    pair.halfCloseAt = .infinity
    for index in pair.flows.indices {
      pair.flows[index].piece = 65_536
      for chunk in pair.flows[index].chunks.indices { pair.flows[index].chunks[chunk].due = 0 }
    }
  }

  private func isFinished(_ pair: Pair, at now: Double) -> Bool {
    if now >= pair.resetAt {
      lock.withLock { counts.resets += 1 }
      for flow in pair.flows {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(flow.from, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(flow.from)
      }
      return true
    }
    guard pair.flows.allSatisfy(\.isShut) else { return false }
    pair.flows.forEach { close($0.from) }
    return true
  }

  private func carry(_ pair: inout Pair, isCalm: Bool, at now: Double) {
    if now >= pair.halfCloseAt {
      pair.halfCloseAt = .infinity
      lock.withLock { counts.halfCloses += 1 }
      let index = Int.random(in: 0...1, using: &random)
      pair.flows[index].hasEnded = true
    }
    for index in pair.flows.indices {
      take(&pair.flows[index], isCalm: isCalm, at: now)
      pass(&pair.flows[index], at: now)
    }
  }

  private func take(_ flow: inout Flow, isCalm: Bool, at now: Double) {
    guard !flow.hasEnded, flow.chunks.count < 64 else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(flow.from, &buffer, buffer.count, 0)
    if count == 0 || (count < 0 && errno != EAGAIN) { flow.hasEnded = true }
    guard count > 0 else { return }
    let isLate = !isCalm && Double.random(in: 0..<1, using: &random) < 0.3
    let delay = isLate ? Double.random(in: 0...0.1, using: &random) : 0
    // What came first goes first.
    let due = max(now + delay, flow.chunks.last?.due ?? 0)
    flow.chunks.append(Chunk(bytes: buffer[..<count], due: due))
  }

  private func pass(_ flow: inout Flow, at now: Double) {
    var sent = 0
    while let chunk = flow.chunks.first, chunk.due <= now, sent < flow.piece {
      let piece = chunk.bytes.prefix(flow.piece)
      let count = piece.withUnsafeBytes { send(flow.to, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno != EAGAIN {
        flow.hasEnded = true
        flow.chunks = []
        break
      }
      guard count > 0 else { break }
      sent += count
      flow.chunks[0].bytes = chunk.bytes.dropFirst(count)
      if flow.chunks[0].bytes.isEmpty { flow.chunks.removeFirst() }
    }
    guard flow.hasEnded, flow.chunks.isEmpty, !flow.isShut else { return }
    flow.isShut = true
    shutdown(flow.to, Int32(SHUT_WR))
  }
}
