/// A priority queue of loads requested from one source, with cancellation and retries.
///
/// It has no clock and does not depend on the kind of item: a deferred cell or a block of a
/// windowed source.
///
///     queue.want([Target(cell, .visible, 0), Target(other, .leading, 0)], by: session, at: now)
///     let commands = queue.advance(to: now)      // load these, cancel those
///     queue.finish(cell, at: now)                // or fail(cell, at: now)
///     queue.deadline                             // the time of the next call, or nil
///
/// The rules:
/// - **Order**: visible items first, then leading, then trailing ones, each nearest first. Among
///   several sessions the most urgent request counts. Ties are loaded in the order of their first
///   request. Repeated loads, which replace an older version, come last and in that order, so that
///   frequent repeats starve no session.
/// - **Bound**: at most ``PrefetchPolicy/inFlight`` loads at once. Each item is requested once,
///   however many sessions want it.
/// - **Cancel**: a waiting item is dropped once no session wants it. A load in flight is kept for
///   a ``grace`` period, in which a session may want it again. The period ends early when a visible
///   item waits. A source that prefers to finish is not interrupted; its load counts as in flight
///   until then.
/// - **Failure**: a failed load is retried after 1 s, 2 s, 4 s ... 60 s for as long as a session
///   wants it, and when its source is back. An unwanted item is forgotten only when its pause ends,
///   so that scrolling to and fro does not retry earlier. Pauses do not count as in flight. An
///   unanswered load fails after the policy's patience.
///
/// If the clock goes back, the queue's own clock stands still, so that no pause gets longer.
struct PrefetchQueue<Item: Hashable> {
  /// The position of an item relative to a session's viewport, in order of urgency.
  enum Zone: UInt8, Comparable {
    /// Inside the viewport.
    case visible
    /// Outside the viewport, in the direction of travel.
    case leading
    /// Outside the viewport, opposite to the direction of travel.
    case trailing

    static func < (a: Zone, b: Zone) -> Bool { a.rawValue < b.rawValue }
  }

  /// A prefetch target of a session, with its urgency.
  struct Target {
    var item: Item
    var zone: Zone
    /// The distance within its zone, in the direction in which the zone is walked.
    var distance: Int
    /// Whether an older version of the item is present.
    var isAgain: Bool

    init(_ item: Item, _ zone: Zone, _ distance: Int, isAgain: Bool = false) {
      self.item = item
      self.zone = zone
      self.distance = distance
      self.isAgain = isAgain
    }
  }

  /// The loads and cancels to send to the source.
  ///
  /// Cancels come first because an item may occur in both.
  struct Commands {
    var cancels: [Item] = []
    var loads: [Item] = []
    /// The items that timed out; they are cancelled and shown as failed.
    var overdue: [Item] = []
  }

  /// The outcome of a received result.
  enum Arrival {
    /// A session wants the item.
    case wanted
    /// The item was requested, but no session wants it now; the caller may keep it.
    case unwanted
    /// The item was not requested.
    case unrequested
  }

  /// The time for which a load in flight is kept after the last session withdrew its request.
  static var grace: Duration { .milliseconds(250) }
  /// The first pause after a failure; it doubles with each further failure.
  static var firstPause: Duration { .seconds(1) }
  /// The longest pause after a failure.
  static var longestPause: Duration { .seconds(60) }
  /// The number of cancelled items to remember, so that their late results count as wasted.
  private static var rememberedCancels: Int { 1024 }

  private struct Rank: Comparable {
    var zone: Zone
    var distance: Int
    var isAgain = false

    init(_ target: Target) {
      (zone, distance) = (target.zone, target.distance)
      guard target.isAgain else { return }
      // Repeated loads are equally urgent and run in the order of their requests.
      (zone, distance, isAgain) = (.trailing, 0, true)
    }

    static func < (a: Rank, b: Rank) -> Bool {
      a.isAgain == b.isAgain ? (a.zone, a.distance) < (b.zone, b.distance) : b.isAgain
    }
  }

  private struct Priority: Comparable {
    var rank: Rank
    /// The position in the order of first requests.
    var sequence: UInt64

    static func < (a: Priority, b: Priority) -> Bool { (a.rank, a.sequence) < (b.rank, b.sequence) }
  }

  /// A time at which an entry is due; ties keep the order of creation.
  private struct Turn: Comparable {
    var moment: Instant
    var sequence: UInt64

    static func < (a: Turn, b: Turn) -> Bool { (a.moment, a.sequence) < (b.moment, b.sequence) }
  }

  private enum Phase {
    /// Not requested from the source yet.
    case waiting
    case inFlight
    /// Failed, and waiting for the end of its pause.
    case resting
    /// Loaded, and not visible to any session yet.
    case ready
  }

  /// The sessions that want an item, with their ranks.
  ///
  /// The best rank is kept with the number of sessions that share it. An update is then O(1) even
  /// if a thousand sessions display the same place.
  private struct Holds {
    private var ranks: [SessionID: (rank: Rank, round: UInt64)] = [:]
    private(set) var best: Rank?
    private var bestCount = 0

    var isEmpty: Bool { ranks.isEmpty }
    var holders: some Collection<SessionID> { ranks.keys }

    /// Sets the rank of a session.
    ///
    /// - Complexity: O(1), or O(holders) when the last session with the best rank becomes less
    ///   urgent.
    mutating func set(_ holder: SessionID, _ rank: Rank, round: UInt64) {
      let previous = ranks.updateValue((rank, round), forKey: holder)?.rank
      if previous == rank { return }
      if let best, rank < best {
        (self.best, bestCount) = (rank, 1)
        return
      }
      if best == nil { best = rank }
      if best == rank { bestCount += 1 }
      if let previous { lose(previous) }
    }

    /// Removes the session's request if it is older than `round`, and returns whether it was
    /// removed.
    mutating func remove(_ holder: SessionID, before round: UInt64) -> Bool {
      guard let hold = ranks[holder], hold.round < round else { return false }
      ranks[holder] = nil
      lose(hold.rank)
      return true
    }

    private mutating func lose(_ rank: Rank) {
      guard rank == best else { return }
      bestCount -= 1
      guard bestCount == 0 else { return }
      best = ranks.values.lazy.map(\.rank).min()
      bestCount = ranks.values.count { $0.rank == best }
    }

    func checkInvariants() {
      #if CHECK_INVARIANTS
        precondition(best == ranks.values.map(\.rank).min(), "an item's most urgent rank is forgotten")
        precondition(bestCount == ranks.values.count { $0.rank == best }, "the items of equal rank are miscounted")
      #endif
    }
  }

  private struct Entry {
    var item: Item
    var phase = Phase.waiting
    var holds = Holds()
    /// The number of consecutive failures.
    var failures = 0
    var sequence: UInt64
  }

  let policy: PrefetchPolicy
  /// The maximum number of loads in flight.
  let bound: Int
  /// The entries by number; free numbers hold `nil`.
  private var entries: [Entry?] = []
  private var freeNumbers: [Int] = []
  private var numbers: [Item: Int] = [:]
  /// The numbers of the items that each session wants.
  ///
  /// A number may have been freed since; the entry then has no request of this round.
  private var targets: [SessionID: [Int]] = [:]
  private var round: UInt64 = 0
  private var nextSequence: UInt64 = 0
  private var waiting = IndexedHeap<Priority>()
  /// Loads in flight, ordered by the time at which they time out.
  private var unanswered = IndexedHeap<Turn>()
  /// Loads in flight that no session wants, ordered by the time at which they are cancelled.
  private var letGo = IndexedHeap<Turn>()
  private var resting = IndexedHeap<Turn>()
  /// Cancelled items that may still be answered, and the order of their cancels.
  private var cancelled: [Item: UInt64] = [:]
  private var cancelOrder: [(item: Item, sequence: UInt64)] = []
  private var readyCount = 0
  private var counts = PrefetchCounters()
  /// The caller's clock when last read, and the queue's own monotonic clock.
  private var seen: Instant?
  private var time = Instant.zero

  /// Creates an empty queue.
  init(_ policy: PrefetchPolicy) {
    self.policy = policy
    bound = min(max(policy.inFlight, 1), PrefetchPolicy.greatestInFlight)
  }

  // MARK: State

  /// Whether the queue has no items.
  var isEmpty: Bool { numbers.isEmpty }
  /// The number of loads in flight.
  var inFlight: Int { unanswered.count }
  /// The number of items.
  var count: Int { numbers.count }
  /// The known items, in an order that is deterministic for the same inputs.
  var items: some Sequence<Item> { entries.lazy.compactMap { $0?.item } }
  /// Whether any item is loaded and not visible yet.
  var isAnyReady: Bool { readyCount > 0 }

  /// Returns whether the item is loaded and not visible yet.
  ///
  /// Sessions keep wanting such an item as if it were missing. It then counts as a hit when it
  /// becomes visible, and otherwise as wasted.
  func isReady(_ item: Item) -> Bool {
    guard let number = numbers[item] else { return false }
    return entries[number]?.phase == .ready
  }

  /// Returns whether a session wants the item and it neither arrived nor failed.
  func isAwaited(_ item: Item) -> Bool {
    guard let entry = numbers[item].flatMap({ entries[$0] }), !entry.holds.isEmpty else { return false }
    return entry.phase == .waiting || entry.phase == .inFlight
  }

  /// The statistics of all loads so far.
  var counters: PrefetchCounters {
    var counters = counts
    counters.waiting = waiting.count
    counters.inFlight = inFlight
    return counters
  }

  /// The time of the next call to ``advance(to:)``, or `nil` if nothing is due.
  var deadline: Instant? {
    guard let seen else { return nil }
    if canStart || canMakeRoom { return seen }
    let turns = [letGo.first?.priority, resting.first?.priority, unanswered.first?.priority]
    return turns.compactMap(\.self).min().map { seen.advanced(by: max(.zero, time.duration(to: $0.moment))) }
  }

  private var canStart: Bool { !waiting.isEmpty && unanswered.count < bound }
  /// Whether a visible item waits while an unwanted load is in flight.
  private var canMakeRoom: Bool { waiting.first?.priority.rank.zone == .visible && !letGo.isEmpty }

  // MARK: Requests

  /// Replaces the set of items that a session wants.
  ///
  /// - Complexity: O(k log n) for k items wanted now or before.
  mutating func want(_ targets: [Target], by holder: SessionID, at now: Instant) {
    follow(now)
    round += 1
    var named: [Int] = []
    named.reserveCapacity(targets.count)
    for target in targets {
      let number = self.number(for: target.item)
      named.append(number)
      entries[number]?.holds.set(holder, Rank(target), round: round)
    }
    let previous = self.targets.updateValue(named, forKey: holder) ?? []
    for number in previous { release(number, holder, before: round) }
    // Refresh last, because this forgets items that are ready and visible and frees their numbers.
    for number in named { refresh(number) }
    if named.isEmpty { self.targets[holder] = nil }
    checkInvariants()
  }

  /// Withdraws all requests of a session.
  mutating func leave(_ holder: SessionID, at now: Instant) {
    follow(now)
    round += 1
    for number in targets.removeValue(forKey: holder) ?? [] { release(number, holder, before: round) }
    checkInvariants()
  }

  private mutating func number(for item: Item) -> Int {
    if let known = numbers[item] { return known }
    let entry = Entry(item: item, sequence: nextSequence)
    nextSequence += 1
    let number: Int
    if let free = freeNumbers.popLast() {
      number = free
      entries[number] = entry
    } else {
      number = entries.count
      entries.append(entry)
    }
    numbers[item] = number
    return number
  }

  /// Removes a request that is older than this round.
  private mutating func release(_ number: Int, _ holder: SessionID, before round: UInt64) {
    guard entries[number]?.holds.remove(holder, before: round) == true else { return }
    refresh(number)
  }

  /// Moves an entry to the heap that its requests and its phase require.
  private mutating func refresh(_ number: Int) {
    guard let entry = entries[number] else { return }
    let rank = entry.holds.best
    switch entry.phase {
    case .waiting:
      if let rank { waiting.set(number, to: Priority(rank: rank, sequence: entry.sequence)) } else { forget(number) }
    case .inFlight:
      if rank != nil {
        letGo.remove(number)
      } else if !policy.prefersToFinish, !letGo.contains(number) {
        letGo.set(number, to: turn(in: Self.grace))
      }
    case .resting: break  // The item stays here until its pause ends.
    case .ready:
      if rank?.zone == .visible {
        counts.hits += 1
        forget(number)
      } else if rank == nil {
        counts.wasted += 1
        forget(number)
      }
    }
  }

  private mutating func forget(_ number: Int) {
    guard let entry = entries[number] else { return }
    leavePhase(number)
    numbers[entry.item] = nil
    entries[number] = nil
    freeNumbers.append(number)
  }

  /// Removes an entry from the heap or count of its phase.
  private mutating func leavePhase(_ number: Int) {
    switch entries[number]?.phase {
    case .waiting: waiting.remove(number)
    case .inFlight:
      unanswered.remove(number)
      letGo.remove(number)
    case .resting: resting.remove(number)
    case .ready: readyCount -= 1
    case nil: break
    }
  }

  private mutating func enter(_ phase: Phase, _ number: Int) {
    leavePhase(number)
    entries[number]?.phase = phase
    if phase == .ready { readyCount += 1 }
  }

  // MARK: Results

  /// Records that an item was loaded.
  ///
  /// - Complexity: O(log n).
  mutating func finish(_ item: Item, at now: Instant) -> Arrival {
    follow(now)
    defer { checkInvariants() }
    let wasCancelled = cancelled.removeValue(forKey: item) != nil
    guard let number = numbers[item], let entry = entries[number], entry.phase != .ready else {
      if wasCancelled { counts.wasted += 1 } else { counts.unrequested += 1 }
      return wasCancelled ? .unwanted : .unrequested
    }
    guard let rank = entry.holds.best else {
      counts.wasted += 1
      forget(number)
      return .unwanted
    }
    if rank.isAgain {
      counts.renewed += 1
      forget(number)
    } else if rank.zone == .visible {
      counts.late += 1
      forget(number)
    } else {
      enter(.ready, number)
      entries[number]?.failures = 0
    }
    return .wanted
  }

  /// Counts an answer to no known request.
  mutating func noteUnrequested() { counts.unrequested += 1 }

  /// Records that a load failed, and returns whether it was in flight; otherwise nothing changes.
  ///
  /// - Complexity: O(log n).
  mutating func fail(_ item: Item, at now: Instant) -> Bool {
    follow(now)
    cancelled[item] = nil
    guard let number = numbers[item], entries[number]?.phase == .inFlight else { return false }
    rest(number)
    checkInvariants()
    return true
  }

  /// Loads an item again because its value was invalidated or a retry is worthwhile.
  ///
  /// It is requested only if a session wants it.
  mutating func renew(_ item: Item, at now: Instant) {
    follow(now)
    guard let number = numbers[item], let phase = entries[number]?.phase else { return }
    guard phase == .ready || phase == .resting else { return }
    enter(.waiting, number)
    entries[number]?.failures = 0
    refresh(number)
    checkInvariants()
  }

  /// Retries all failed loads at once, because their source is back.
  ///
  /// - Complexity: O(log n) for each failed load.
  mutating func retryFailed(at now: Instant) {
    follow(now)
    while let (number, _) = resting.first {
      enter(.waiting, number)
      entries[number]?.failures = 0
      refresh(number)
    }
    checkInvariants()
  }

  /// Removes all requests for an item because its row is deleted or its value arrived in another
  /// way.
  ///
  /// A load in flight is cancelled, even if the source prefers to finish, unless a session wants it
  /// again before the next ``advance(to:)``.
  mutating func drop(_ item: Item, at now: Instant) {
    follow(now)
    guard let number = numbers[item], let phase = entries[number]?.phase else { return }
    entries[number]?.holds = Holds()
    if phase == .inFlight {
      letGo.set(number, to: turn(in: .zero))
    } else if phase == .resting {
      forget(number)
    } else {
      refresh(number)
    }
    checkInvariants()
  }

  private mutating func rest(_ number: Int) {
    enter(.resting, number)
    counts.failures += 1
    entries[number]?.failures += 1
    let doublings = min((entries[number]?.failures ?? 1) - 1, 10)
    resting.set(number, to: turn(in: min(Self.firstPause * (1 << doublings), Self.longestPause)))
  }

  // MARK: Time

  /// Advances the clock and returns the commands for the source.
  ///
  /// - Complexity: O(log n) for each affected item.
  mutating func advance(to now: Instant) -> Commands {
    follow(now)
    var commands = Commands()
    while let (number, turn) = unanswered.first, turn.moment <= time {
      if let item = entries[number]?.item { commands.overdue.append(item) }
      cancel(number, &commands)
      rest(number)
    }
    while let (number, turn) = resting.first, turn.moment <= time {
      enter(.waiting, number)
      refresh(number)
    }
    while let (number, turn) = letGo.first, turn.moment <= time {
      cancel(number, &commands)
      forget(number)
    }
    while canStart || canMakeRoom {
      if !canStart, let (number, _) = letGo.first {
        cancel(number, &commands)
        forget(number)
      }
      if let (number, _) = waiting.first { start(number, &commands) }
    }
    checkInvariants()
    return commands
  }

  private mutating func start(_ number: Int, _ commands: inout Commands) {
    guard let item = entries[number]?.item else { return }
    enter(.inFlight, number)
    unanswered.set(number, to: turn(in: policy.patience))
    counts.loads += 1
    commands.loads.append(item)
  }

  private mutating func cancel(_ number: Int, _ commands: inout Commands) {
    guard let item = entries[number]?.item else { return }
    counts.cancels += 1
    commands.cancels.append(item)
    cancelled[item] = nextSequence
    cancelOrder.append((item, nextSequence))
    nextSequence += 1
    guard cancelOrder.count > 2 * Self.rememberedCancels else { return }
    for (item, sequence) in cancelOrder.prefix(Self.rememberedCancels) where cancelled[item] == sequence {
      cancelled[item] = nil
    }
    cancelOrder.removeFirst(Self.rememberedCancels)
  }

  private mutating func turn(in duration: Duration) -> Turn {
    nextSequence += 1
    return Turn(moment: time.advanced(by: duration), sequence: nextSequence)
  }

  /// Advances the queue's clock by the progress of the caller's clock; it stands still if that one
  /// goes back.
  private mutating func follow(_ now: Instant) {
    if let seen, now > seen { time = time.advanced(by: seen.duration(to: now)) }
    seen = now
  }
}

extension PrefetchQueue {
  /// Checks that each item is in the heaps of its phase, that requests match, and that the bound
  /// holds.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var ready = 0
      for (number, entry) in entries.enumerated() {
        guard let entry else { continue }
        precondition(numbers[entry.item] == number, "item \(number) is known as \(numbers[entry.item] ?? -1)")
        precondition(
          waiting.contains(number) == (entry.phase == .waiting), "item \(number) is \(entry.phase), and waits or not")
        precondition(
          unanswered.contains(number) == (entry.phase == .inFlight),
          "item \(number) is \(entry.phase), and in flight or not")
        precondition(
          resting.contains(number) == (entry.phase == .resting), "item \(number) is \(entry.phase), and rests or not")
        precondition(
          !letGo.contains(number) || (entry.phase == .inFlight && entry.holds.isEmpty), "item \(number) is let go")
        precondition(
          !entry.holds.isEmpty || entry.phase == .inFlight || entry.phase == .resting, "item \(number) is not wanted")
        precondition(
          entry.phase != .inFlight || !entry.holds.isEmpty || policy.prefersToFinish || letGo.contains(number),
          "item \(number) is not wanted, and is not cancelled")
        entry.holds.checkInvariants()
        for holder in entry.holds.holders {
          precondition(
            targets[holder]?.contains(number) == true, "item \(number) is held by a session that does not list it")
        }
        if entry.phase == .ready { ready += 1 }
      }
      precondition(ready == readyCount, "\(ready) items are ready, counted as \(readyCount)")
      precondition(
        numbers.count == entries.count - freeNumbers.count, "\(numbers.count) items are known of \(entries.count)")
      precondition(unanswered.count <= bound, "\(unanswered.count) loads are in flight; \(bound) may be")
      for heap in [unanswered, letGo, resting] { heap.checkInvariants() }
      waiting.checkInvariants()
    #endif
  }
}
