/// The windows and patches sent to one client; at most one is in flight.
struct PatchFlow {
  /// The window last sent.
  private(set) var base: WindowState?
  /// The window that the client holds until it applies the patch in flight.
  ///
  /// It is `nil` if the patch answers another query.
  private(set) var previousBase: WindowState?
  /// The number of the last window or patch sent.
  private(set) var sequence: UInt64 = 0
  /// The time at which the patch in flight was sent, or `nil` if all are acknowledged.
  private(set) var sentAt: Instant?
  private var isWritable = true

  init() {}

  /// Creates the flow of a client that holds this window.
  init(base: WindowState) { self.base = base }

  /// Whether the socket has room, and the client has acknowledged the last patch.
  var isReady: Bool { isWritable && sentAt == nil }

  /// Continues the numbering and socket state of another session on the same socket.
  ///
  /// A late message about the former table is then not mistaken for one about the new table.
  mutating func goOn(from previous: PatchFlow) {
    sequence = previous.sequence
    isWritable = previous.isWritable
  }

  /// Continues the numbering of a lost connection.
  ///
  /// Messages before the answer then refer to the state that the client holds.
  mutating func goOn(at sequence: UInt64) { self.sequence = sequence }

  /// Takes over the window that the client of a lost connection holds, if it is known.
  mutating func resume(from parked: PatchFlow, at sequence: UInt64) {
    base = sequence == parked.sequence ? parked.base : nil
    if parked.sentAt != nil, sequence == parked.sequence - 1 { base = parked.previousBase }
  }

  /// Takes the window that a client without a known session reports to hold.
  mutating func take(_ window: WindowState) { base = window }

  /// Records a window or patch.
  ///
  /// - Parameter isOfSameQuery: Whether the client holds a window of the same query meanwhile.
  mutating func send(_ window: WindowState, isOfSameQuery: Bool, at now: Instant) {
    previousBase = isOfSameQuery ? base : nil
    base = window
    sequence += 1
    sentAt = now
    isWritable = false
  }

  /// Records that the socket has room again.
  mutating func noteWritable() { isWritable = true }

  /// Records that the client applied the patch in flight; late acknowledgements are ignored.
  ///
  /// - Returns: The time since the patch was sent, or `nil` for a late acknowledgement.
  mutating func acknowledge(_ sequence: UInt64, at now: Instant) -> Duration? {
    guard let sentAt, sequence == self.sequence else { return nil }
    self.sentAt = nil
    previousBase = nil
    return sentAt.duration(to: now)
  }

  /// Records that the client rejected the patch in flight.
  mutating func reject() { sentAt = nil }

  /// Discards the last window, so that no patch is based on it.
  mutating func discardBase() { base = nil }

  /// Discards all windows.
  mutating func discardAll() { (base, previousBase) = (nil, nil) }
}
