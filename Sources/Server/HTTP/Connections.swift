import ListEngine

/// The admission of connections, and the connections whose request is still incomplete.
///
/// libwebsockets can parse 256 requests at the same time; further clients wait until one is
/// finished. When many requests are incomplete, the oldest ones that have sent nothing more are
/// closed. A client that sends its request promptly is not affected.
struct Connections {
  /// The default limit of connections per second.
  static let standardRate = 4_000
  /// The default number of connections accepted at once: as many clients as join a server in the
  /// moment after a restart.
  static let standardBurst = 10_000
  /// The number of incomplete requests above which slow ones are closed.
  ///
  /// It is below the 256 of libwebsockets.
  static let greatestCount = 200
  /// The time an incomplete request has before it may be closed.
  static let patience: Duration = .milliseconds(250)
  private static let pause: Duration = .milliseconds(100)

  private struct Entry {
    var socket: OpaquePointer
    var number: UInt64
    var since: Instant
  }

  /// The decision on a new connection.
  enum Admission: Equatable {
    case welcome
    /// The rate limit for all addresses is exceeded.
    case tooMany
    /// The address has reached its limit of connections.
    case enoughFromThere
  }

  private let limitPerAddress: Int
  /// The rate limit for new connections.
  private var budget: TokenBucket
  private var arrivals: [Entry] = []
  /// The sequence numbers of connections with an incomplete request.
  private var numbers: [OpaquePointer: UInt64] = [:]
  private var last: UInt64 = 0
  private var nextLook = Instant.zero
  private var addresses: [OpaquePointer: String] = [:]
  private var counts: [String: Int] = [:]
  private var admitted: String?
  /// The number of requests answered on each persistent connection.
  private var answers: [OpaquePointer: Int] = [:]
  /// The maximum number of requests on one connection.
  static let greatestRequestCount = 100

  /// - Parameters:
  ///   - limitPerAddress: The maximum number of connections from one network.
  ///   - rate: The average number of connections accepted per second.
  ///   - burst: The number of connections accepted at once.
  init(limitPerAddress: Int, rate: Int, burst: Int, at now: Instant) {
    self.limitPerAddress = limitPerAddress
    budget = TokenBucket(rate: rate, burst: burst, at: now)
  }

  /// The number of connections with an incomplete request.
  var count: Int { numbers.count }

  // MARK: Connecting and disconnecting

  /// Returns whether a connection from this address is accepted.
  ///
  /// `nil` stands for this machine, whose users share it. A connection beyond the address limit
  /// does not count towards the rate limit.
  mutating func admit(from address: String?, at now: Instant) -> Admission {
    let network = address.map(FailureLimiter.network)
    if let network, counts[network, default: 0] >= limitPerAddress { return .enoughFromThere }
    guard budget.take(at: now) else { return .tooMany }
    admitted = network
    return .welcome
  }

  /// Registers the socket of the connection that was admitted last.
  mutating func add(_ socket: OpaquePointer, at now: Instant) {
    last += 1
    numbers[socket] = last
    arrivals.append(Entry(socket: socket, number: last, since: now))
    if let admitted {
      addresses[socket] = admitted
      counts[admitted, default: 0] += 1
    }
    admitted = nil
    // Keeps the list at most twice as long as the number of incomplete requests.
    if arrivals.count > 64, arrivals.count > 2 * numbers.count { sweep() }
  }

  /// Records that a connection has become a WebSocket or a long response.
  mutating func settle(_ socket: OpaquePointer) { numbers[socket] = nil }

  /// Counts an answered request, and returns whether another one may follow on its connection.
  ///
  /// The connection then counts as having an incomplete request.
  mutating func mayServeMore(_ socket: OpaquePointer) -> Bool {
    let count = answers[socket, default: 0] + 1
    answers[socket] = count
    return count < Self.greatestRequestCount
  }

  /// Returns whether a request was answered on this persistent connection.
  func hasAnswered(_ socket: OpaquePointer) -> Bool { answers[socket] != nil }

  /// Removes a closed connection.
  mutating func remove(_ socket: OpaquePointer) {
    numbers[socket] = nil
    answers[socket] = nil
    guard let address = addresses.removeValue(forKey: socket), let count = counts[address] else { return }
    counts[address] = count > 1 ? count - 1 : nil
  }

  private mutating func sweep() { arrivals.removeAll { numbers[$0.socket] != $0.number } }

  // MARK: Slow connections

  /// The time of the next call of ``overdue(at:isSilent:)``; `nil` if there are few incomplete
  /// requests.
  var deadline: Instant? { numbers.count > Self.greatestCount ? nextLook : nil }

  /// Returns the connections to close, oldest first.
  ///
  /// - Parameter isSilent: Returns whether everything the client has sent was read, so that the
  ///   server waits for the client.
  mutating func overdue(at now: Instant, isSilent: (OpaquePointer) -> Bool) -> [OpaquePointer] {
    guard numbers.count > Self.greatestCount, now >= nextLook else { return [] }
    nextLook = now.advanced(by: Self.pause)
    sweep()
    let excess = numbers.count - Self.greatestCount
    var overdue: [OpaquePointer] = []
    for entry in arrivals {
      guard overdue.count < excess, entry.since.duration(to: now) >= Self.patience else { break }
      if isSilent(entry.socket) { overdue.append(entry.socket) }
    }
    return overdue
  }

  /// Returns whether the connection still has an incomplete request.
  func isOnTheWay(_ socket: OpaquePointer) -> Bool { numbers[socket] != nil }
}
