import ListEngine

/// Decides when a new instance of a source takes the place of the old one: when it has told its first whole list.
///
/// It is a value without a clock: what the new instance tells is told to it with the moment.
///
///     var handover = Handover(at: now)
///     handover.take(event, at: now)          // .wait, .ready or .refused
///     handover.advance(to: handover.deadline)
///     let events = handover.takeEvents()     // ready: to be told in the place of what the old one would tell
///
/// A list that is told with `reload` is whole at its end; rows of which nobody says that they are a list are whole when nothing has come
/// for a while, or when they have come for some seconds. A program that keeps its rows itself takes over as soon as it has said its columns.
/// Other columns than the old one's are another table in its place, which begins with that list.
struct Handover {
  /// What is to be done now.
  enum Decision: Equatable {
    case wait
    /// It takes over.
    case ready
    /// It does not; the old one stays.
    case refused(String)
  }

  /// So long after the last row a list without an end counts as whole.
  static let quiet: Duration = .milliseconds(500)
  /// So long after its first row a list without an end counts as whole, also when rows never cease to come.
  static let longest: Duration = .seconds(3)
  /// One that says nothing for so long has had its chance.
  static let patience: Duration = .seconds(30)
  /// What is kept until the list is whole; a longer one goes on from here while pages look at it.
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
  /// What it has said of itself since it was started, such as why its rows cannot be taken.
  private var lastWord = ""

  init(at now: Instant) { lastSign = now }

  /// When to look again if nothing is told.
  var deadline: Instant {
    if let firstChange, let lastChange, !isReload {
      return min(lastChange.advanced(by: Self.quiet), firstChange.advanced(by: Self.longest))
    }
    return lastSign.advanced(by: Self.patience)
  }

  /// Takes in what the new instance tells.
  mutating func take(_ event: SourceEvent, at now: Instant) -> Decision {
    lastSign = now
    switch event {
    case .schema(let new):
      events.append(event)
      // One that keeps its rows has no list to tell: it answers from now on, and what pages hold is asked for again.
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
      // A program that has ended well has told everything.
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

  /// Looks whether the time is over.
  mutating func advance(to now: Instant) -> Decision {
    guard deadline <= now else { return .wait }
    if hasRows, !isReload { return .ready }
    let reason = "it has told no whole list for \(Self.patience.components.seconds) seconds"
    return .refused(lastWord.isEmpty ? reason : "\(reason): \(lastWord)")
  }

  /// What is to be told when it takes over: its list as a reload, so that only what is really different changes.
  ///
  /// - Parameter isInsideReload: whether the old one was in the middle of a list.
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
