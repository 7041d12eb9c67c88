import ListEngine

/// Decides when a new instance of a source takes over from the old one: after its first complete
/// list.
///
/// It is a value without a clock. Events of the new instance are passed in with the current time.
///
///     var handover = Handover(at: now)
///     handover.take(event, at: now)          // .wait, .ready or .refused
///     handover.advance(to: handover.deadline)
///     let events = handover.takeEvents()     // after .ready
///
/// A list sent as a reload is complete at its end. Other rows count as complete after a pause, or
/// some seconds after the first row. A program with a remote table takes over as soon as it has
/// sent its schema. If the columns differ from the old ones, a new table with that list replaces
/// the old one.
struct Handover {
  /// The result of a step.
  enum Decision: Equatable {
    case wait
    /// The new instance takes over.
    case ready
    /// The new instance is discarded, and the old one stays.
    case refused(String)
  }

  /// The pause after which rows outside a reload count as a complete list.
  static let quiet: Duration = .milliseconds(500)
  /// The time after the first row when rows outside a reload count as a complete list even without
  /// a pause.
  static let longest: Duration = .seconds(3)
  /// The silence after which the new instance is discarded.
  static let patience: Duration = .seconds(30)
  /// The maximum number of bytes held back.
  ///
  /// A longer list takes over before its end.
  static let greatestBytes = 256 << 20

  private var events: [SourceEvent] = []
  private var bytes = 0
  private var firstChange: Instant?
  private var lastChange: Instant?
  private var lastSign: Instant
  private var isReload = false
  private var isWhole = false
  private var hasRows = false
  private var isComplete = false
  /// The last message of the new instance about its state, such as the reason for rejected rows.
  private var lastWord = ""

  init(at now: Instant) { lastSign = now }

  /// The time of the next ``advance(to:)`` if no event arrives.
  var deadline: Instant {
    if let firstChange, let lastChange, !isReload {
      return min(lastChange.advanced(by: Self.quiet), firstChange.advanced(by: Self.longest))
    }
    return lastSign.advanced(by: Self.patience)
  }

  /// Processes an event of the new instance.
  mutating func take(_ event: SourceEvent, at now: Instant) -> Decision {
    lastSign = now
    switch event {
    case .schema(let new):
      events.append(event)
      // A remote table has no list to wait for. It answers from now on, and blocks held by clients
      // are requested again.
      if new.windowed != nil {
        events.append(.sourceChanged)
        return .ready
      }
    case .columnsAdded: events.append(event)
    case .changes(let changes):
      hasRows = true
      firstChange = firstChange ?? now
      lastChange = now
      if changes.beginsReload { isReload = true }
      bytes += changes.byteCount
      events.append(event)
      if isReload, changes.endsReload { isWhole = true }
      if isWhole || (isReload && bytes > Self.greatestBytes) { return .ready }
    case .state(.live, let message, _):
      // A program that exits with 0 has sent everything.
      isComplete = message == Self.completeMessage
      events.append(event)
      if isComplete, hasRows { return .ready }
    case .state(.starting, let message, _): lastWord = message
    case .state(let state, let message, _):
      return .refused(message.isEmpty ? "it is \(state.rawValue)" : message)
    default: break
    }
    return .wait
  }

  private static let completeMessage = "Complete"

  /// Checks the timeouts.
  mutating func advance(to now: Instant) -> Decision {
    guard deadline <= now else { return .wait }
    if hasRows, !isReload { return .ready }
    let reason = "it has sent no complete list for \(Self.patience.components.seconds) seconds"
    return .refused(lastWord.isEmpty ? reason : "\(reason): \(lastWord)")
  }

  /// Returns the events held back, with the list as a reload, so that only real differences change
  /// the table.
  ///
  /// - Parameter isInsideReload: Whether the old instance was inside a reload.
  mutating func takeEvents(isInsideReload: Bool) -> [SourceEvent] {
    defer { events = [] }
    let places = events.indices.filter { if case .changes = events[$0] { true } else { false } }
    for (number, place) in places.enumerated() {
      guard case .changes(var changes) = events[place] else { continue }
      if number == 0 {
        changes.abandonsReload = isInsideReload
        if !isReload { changes.beginsReload = true }
      }
      if number == places.count - 1, !isReload { changes.endsReload = true }
      events[place] = .changes(changes)
    }
    return events
  }
}
