import ListEngine

/// The last patch of a client and its times, from which delays are measured.
struct DeliveryRecord {
  /// The delay of a flush that is still considered punctual, for turns with much to do.
  private static let turnAllowance: Duration = .milliseconds(10)

  /// The table of the last patch.
  private(set) var table: TableID?
  private(set) var interval: Duration?
  /// Whether libwebsockets still buffers a part of the last patch.
  var isDraining = false
  /// The time at which the patch being sent was cut.
  private(set) var patchSince: Instant?
  /// The time at which the last patch was cut.
  private var cutAt = Instant.zero
  /// The time since which the client could receive the next patch.
  private var readySince = Instant.zero
  /// The time span in which the changes of the patch being sent reached the engine.
  ///
  /// It excludes its start and includes its end.
  private(set) var carried: (after: Instant, through: Instant)?

  /// Records that the client can receive the next patch.
  mutating func noteReady(at now: Instant) { readySince = now }

  /// Records a new patch and the time span of the changes that it carries.
  ///
  /// A patch carries the changes since the previous flush, but a flush without changes leaves no
  /// trace. If the client was ready for at least one interval, the previous flush is at most one
  /// interval old. Otherwise the changes have waited since the last patch.
  ///
  /// - Parameter isWhole: Whether it is a window rather than a patch, which has no time span.
  mutating func noteCut(of table: TableID?, every interval: Duration, isWhole: Bool, at now: Instant) {
    let wait = interval + Self.turnAllowance
    let wasReady = readySince.duration(to: now) >= wait
    let from = max(cutAt, wasReady ? Instant(nanoseconds: now.nanoseconds - wait.nanoseconds) : .zero)
    carried = isWhole || table != self.table ? nil : (from, now)
    self.table = table
    self.interval = interval
    cutAt = now
    patchSince = now
  }

  /// Records that the socket took the patch completely.
  mutating func noteSent(at now: Instant) {
    carried = nil
    patchSince = nil
    noteReady(at: now)
  }
}
