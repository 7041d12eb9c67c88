import ListEngine

/// The keepalive of one client: a ping after a silence, and a time limit for the answer.
///
///     keepalive.noteMessage(at: now)          // a message or pong arrived
///     keepalive.note(received: bytes, at: now)
///     keepalive.note(arrived: bytes, at: now)
///     keepalive.check(at: now)                // .fine, .ask or .gone; called about once a second
///
/// On a slow line the ping waits behind data sent earlier. As long as that data keeps arriving, the
/// time limit for the answer does not apply. The data may arrive in pieces separated by up to
/// `silence + answer`, because a receiver with a full buffer stalls its sender.
///
/// libwebsockets' own keepalive walks a sorted timer list for each client. With 10,000 clients one
/// round of pings took most of a second. It also pings clients that are active.
struct Keepalive {
  /// The action to take.
  enum Finding { case fine, ask, gone }

  /// The time limits of the keepalive.
  struct Patience: Equatable, Sendable {
    /// The silence after which the client is pinged.
    var silence: Duration
    /// The time that the client has to answer.
    var answer: Duration

    /// Creates time limits.
    init(silence: Duration = .seconds(9), answer: Duration = .seconds(5)) {
      self.silence = silence
      self.answer = answer
    }
  }

  /// Whether a ping waits to be sent.
  var isPingPending = false
  private let patience: Patience
  private var lastMessage: Instant
  private var pingedAt: Instant?
  /// The bytes delivered at the last check of this silence, while more were in flight.
  private var arrived: Int64?
  /// The bytes received from the client at the last check of this silence.
  private var received: Int64?
  /// The time of the last progress of the delivery.
  private var moved: Instant?

  /// Creates the keepalive of a client that has just connected.
  init(_ patience: Patience, at now: Instant) {
    self.patience = patience
    lastMessage = now
  }

  /// Records a message from the client.
  mutating func noteMessage(at now: Instant) {
    self = Keepalive(patience, at: now)
  }

  /// Returns whether a third of the silence has passed, after which the delivery is monitored.
  func isQuiet(at now: Instant) -> Bool { lastMessage.duration(to: now) >= patience.silence / 3 }

  /// Records the number of bytes received from the client so far, or `nil` if it is unknown.
  ///
  /// Any bytes end the silence: an empty pong, which libwebsockets does not report, or a part of a
  /// message.
  mutating func note(received bytes: Int64?, at now: Instant) {
    if let bytes, let received, bytes > received { noteMessage(at: now) }
    received = bytes
  }

  /// Records the number of bytes delivered, or `nil` if nothing is in flight.
  ///
  /// The ping may be among the bytes in flight.
  mutating func note(arrived bytes: Int64?, at now: Instant) {
    if let bytes, let arrived, bytes > arrived { moved = now }
    if bytes == nil, moved != nil {
      // The ping has only arrived now.
      if pingedAt != nil { pingedAt = now }
      moved = nil
    }
    arrived = bytes
  }

  /// Withdraws a ping whose answer the server could not have read.
  mutating func forgive() {
    pingedAt = nil
    arrived = nil
    received = nil
    moved = nil
  }

  /// Returns the action to take; `.ask` is returned once per silence.
  mutating func check(at now: Instant) -> Finding {
    guard let pingedAt else {
      guard lastMessage.duration(to: now) >= patience.silence else { return .fine }
      self.pingedAt = now
      return .ask
    }
    if let moved, moved.duration(to: now) < patience.silence + patience.answer { return .fine }
    return pingedAt.duration(to: now) >= patience.answer ? .gone : .fine
  }
}
