import ListEngine

/// The right of one publisher to write a table, for a limited time.
///
/// The lease is a key that expires at the server after ``duration``. Its holder writes the key
/// again each ``renewal``. Its fencing number is the revision with which the holder created the
/// key. Later holders have greater ones, because revisions of a bucket only grow.
///
///     lease.step(at: now)              // .create, .renew(revision) or .wait
///     lease.take(revision, sent: now)  // after the key was written
///     lease.fence(at: now)             // nil if the lease has ended
struct Lease {
  /// The time after which the key expires.
  static let duration = Duration.seconds(2)
  /// The time between two renewals, and between two attempts to create the key.
  static let renewal = Duration.milliseconds(500)
  /// The part of ``duration`` in which the holder does nothing any more.
  ///
  /// It covers the differences of two clocks over that time, and a write that is on its way.
  static let margin = Duration.milliseconds(300)

  /// The next request to the server.
  enum Step: Hashable {
    case create
    case renew(UInt64)
    case wait
  }

  private enum State {
    /// Another publisher may hold the lease.
    case free
    /// This publisher holds the lease until `end`.
    case held(fence: UInt64, revision: UInt64, end: Instant)
  }

  private var state = State.free
  private var next: Instant = .zero

  /// Returns what to do at this time; a step is due once for each call of ``take(_:sent:)`` or
  /// ``miss(at:)``.
  mutating func step(at now: Instant) -> Step {
    if case .held(_, _, let end) = state, now >= end { state = .free }
    guard now >= next else { return .wait }
    switch state {
    case .free: return .create
    case .held(_, let revision, _): return .renew(revision)
    }
  }

  /// The fencing number of the lease; `nil` if it is not held at this time.
  func fence(at now: Instant) -> UInt64? {
    guard case .held(let fence, _, let end) = state, now < end else { return nil }
    return fence
  }

  /// Records that the key was written with this revision.
  ///
  /// - Parameter sent: The time before the request was sent. The server counts from a later time.
  mutating func take(_ revision: UInt64, sent: Instant) {
    let end = sent.advanced(by: Self.duration - Self.margin)
    if case .held(let fence, _, _) = state {
      state = .held(fence: fence, revision: revision, end: end)
    } else {
      state = .held(fence: revision, revision: revision, end: end)
    }
    next = sent.advanced(by: Self.renewal)
  }

  /// Records that the key was not written. A lease that is held stays so until its end.
  mutating func miss(at now: Instant) { next = now.advanced(by: Self.renewal / 2) }

  /// Ends the lease, because the stream has shown that another publisher holds it.
  mutating func drop(at now: Instant) {
    state = .free
    next = now.advanced(by: Self.renewal)
  }

  /// The revision of the key, if the lease is held.
  var revision: UInt64? {
    guard case .held(_, let revision, _) = state else { return nil }
    return revision
  }
}
