import ListEngine

/// Who has to say hello, and until when.
///
/// Everyone has the same time, so the first to come is the first to be overdue, and a queue is all it takes. libwebsockets' own timers
/// stand in a sorted list that is searched from its beginning for each.
struct GreetingQueue {
  private let patience: Duration
  private var waiting: [(id: SessionID, deadline: Instant)] = []
  private var first = 0

  init(patience: Duration) { self.patience = patience }

  /// When the next one is overdue; `nil` when nobody waits.
  var deadline: Instant? { first < waiting.count ? waiting[first].deadline : nil }

  /// Notes that a page has connected.
  mutating func add(_ id: SessionID, at now: Instant) { waiting.append((id, now.advanced(by: patience))) }

  /// Takes out everyone whose time is over, whether they have said hello or not: the queue does not know.
  ///
  /// - Complexity: O(taken), amortized.
  mutating func takeOverdue(at now: Instant) -> [SessionID] {
    var overdue: [SessionID] = []
    while first < waiting.count, waiting[first].deadline <= now {
      overdue.append(waiting[first].id)
      first += 1
    }
    if first == waiting.count || first > 1_024 {
      waiting.removeFirst(first)
      first = 0
    }
    return overdue
  }
}
