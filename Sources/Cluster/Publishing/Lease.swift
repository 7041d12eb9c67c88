import ListEngine

/// The right of one publisher to write a table, for a limited time.
///
/// The lease is a key without an expiry, because servers lose expiries when their leader changes.
/// Its holder writes the key again each ``renewal``, which changes the key's revision. Another
/// publisher that has seen the same revision for ``duration`` of its own clock writes the key on
/// the condition that it still has this revision. Exactly one of several succeeds. The holder stops
/// before that time, without the server.
///
/// The fencing number is the revision with which the holder took the key. Later holders have
/// greater ones, because revisions of a bucket only grow.
///
///     lease.step(at: now)                      // what to do
///     lease.see(entry, asked: then, at: now)   // after .look: what to do next
///     lease.take(revision, sent: then)         // after the key was written
///     lease.refuse(at: now)                    // it has another revision
///     lease.miss(at: now)                      // no answer
///     lease.fence(at: now)                     // nil if the lease has ended
struct Lease {
  /// The time for which a key must stay unchanged before another publisher takes it.
  static let duration = Duration.seconds(2)
  /// The time between two renewals.
  static let renewal = Duration.milliseconds(300)
  /// The time between two looks at the key of another holder, and before a failed step is repeated.
  static let look = Duration.milliseconds(200)
  /// The part of ``duration`` in which the holder does nothing any more.
  ///
  /// It covers the differences of two clocks over that time, and a write that is on its way.
  static let margin = Duration.milliseconds(300)

  /// The next request to the server.
  enum Step: Hashable {
    /// Read the key.
    case look
    /// Create the key.
    case create
    /// Write the key on the condition that it has this revision.
    case write(UInt64)
    case wait
  }

  /// The content of the key, with its revision.
  enum Entry: Hashable {
    /// The key does not exist.
    case none
    /// Its last holder has given it up.
    case free(UInt64)
    /// This publisher has written it.
    case own(UInt64)
    /// Another publisher has written it.
    case other(UInt64)

    fileprivate var revision: UInt64? {
      switch self {
      case .none: nil
      case .free(let revision), .own(let revision), .other(let revision): revision
      }
    }
  }

  private enum State {
    /// Another publisher may hold the lease; the revision was first seen at this time.
    case watching(revision: UInt64?, since: Instant)
    /// This publisher holds the lease until `end`. With `isDoubtful` a write of it has no answer.
    case held(fence: UInt64, revision: UInt64, end: Instant, isDoubtful: Bool)
  }

  private var state = State.watching(revision: nil, since: .zero)
  private var next: Instant = .zero

  /// Returns what to do at this time.
  mutating func step(at now: Instant) -> Step {
    if case .held(_, _, let end, _) = state, now >= end { state = .watching(revision: nil, since: now) }
    guard now >= next else { return .wait }
    switch state {
    case .watching: return .look
    case .held(_, let revision, _, let isDoubtful): return isDoubtful ? .look : .write(revision)
    }
  }

  /// Takes what a read of the key has found, and returns what to do next.
  ///
  /// - Parameter asked: The time before the read was sent.
  mutating func see(_ entry: Entry, asked: Instant, at now: Instant) -> Step {
    next = now.advanced(by: Self.look)
    if case .held(let fence, let known, let end, _) = state {
      // A read may return an older value than the last one.
      if let revision = entry.revision, revision < known { return .wait }
      guard case .own(let revision) = entry else {
        state = .watching(revision: nil, since: now)
        return .wait
      }
      state = .held(fence: fence, revision: revision, end: end, isDoubtful: false)
      return .write(revision)
    }
    switch entry {
    case .none: return .create
    // No publisher has held the lease since, if the key still has this revision.
    case .free(let revision), .own(let revision): return .write(revision)
    case .other(let revision):
      guard case .watching(revision, let since) = state else {
        state = .watching(revision: revision, since: now)
        return .wait
      }
      return since.duration(to: asked) >= Self.duration ? .write(revision) : .wait
    }
  }

  /// The fencing number of the lease; `nil` if it is not held at this time.
  func fence(at now: Instant) -> UInt64? {
    guard case .held(let fence, _, let end, _) = state, now < end else { return nil }
    return fence
  }

  /// Records that the key was written with this revision.
  ///
  /// - Parameter sent: The time before the request was sent. Others count from a later time.
  mutating func take(_ revision: UInt64, sent: Instant) {
    let end = sent.advanced(by: Self.duration - Self.margin)
    if case .held(let fence, _, _, _) = state {
      state = .held(fence: fence, revision: revision, end: end, isDoubtful: false)
    } else {
      state = .held(fence: revision, revision: revision, end: end, isDoubtful: false)
    }
    next = sent.advanced(by: Self.renewal)
  }

  /// Records that the key has another revision. It may come from a write without an answer.
  mutating func refuse(at now: Instant) {
    if case .held(let fence, let revision, let end, _) = state {
      state = .held(fence: fence, revision: revision, end: end, isDoubtful: true)
      next = now
    } else {
      next = now.advanced(by: Self.look)
    }
  }

  /// Records that a request has no answer. A lease that is held stays so until its end.
  mutating func miss(at now: Instant) {
    if case .held(let fence, let revision, let end, _) = state {
      state = .held(fence: fence, revision: revision, end: end, isDoubtful: true)
    }
    next = now.advanced(by: Self.look)
  }

  /// Ends the lease.
  mutating func drop(at now: Instant) {
    state = .watching(revision: nil, since: now)
    next = now.advanced(by: Self.renewal)
  }

  /// The revision of the key, if the lease is held.
  var revision: UInt64? {
    guard case .held(_, let revision, _, _) = state else { return nil }
    return revision
  }
}
