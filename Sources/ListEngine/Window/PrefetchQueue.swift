/// Decides what a source is asked to load, and when it is told to stop: what someone looks at first, then what is about to be seen.
///
/// It has no clock and knows nothing of what is loaded: an item is a deferred cell, or a page of a windowed source.
///
///     queue.want([Wish(cell, .visible, 0), Wish(other, .leading, 0)], by: session, at: now)   // all that it wants now
///     let commands = queue.advance(to: now)      // load these, cancel those
///     queue.finish(cell, at: now)                // or fail(cell, at: now)
///     queue.deadline                             // ask again then; nil when nothing waits
///
/// The rules:
/// - **Order**: visible items, then leading, then trailing ones, each nearest first. Of several holders the most urgent counts; what
///   is equally urgent is loaded in the order in which it was first wanted. What is asked for again though something of it is there
///   comes last, wherever it lies, and in that order: so neither one who asks again and again keeps others waiting for ever.
/// - **Bound**: never more than ``PrefetchPolicy/inFlight`` at once. Each item is asked for once, however many holders want it.
/// - **Cancel**: what has not been started is dropped as soon as nobody wants it. What is in flight has a ``grace`` first, in which
///   it can be wanted again and nothing happens; the grace ends early when something visible waits for its place. A source that
///   prefers to finish is left to finish, and the load keeps its place until then.
/// - **Failure**: asked for again after a pause of 1 s, 2 s, 4 s ... 60 s, as long as someone wants it: there is no last try. An item
///   that nobody wants is forgotten at the end of its pause, not before, so that scrolling to and fro asks a failing source no
///   more often. Others are not held up: a pause takes no place. An unanswered load fails when the policy's patience ends.
///
/// A clock that goes back stands still for the queue: no pause gets longer by it.
struct PrefetchQueue<Item: Hashable> {
  /// Where an item lies for one who wants it; the most urgent first.
  enum Zone: UInt8, Comparable {
    /// It is in sight.
    case visible
    /// It lies in the direction of travel.
    case leading
    /// It lies where the reader came from.
    case trailing

    static func < (a: Zone, b: Zone) -> Bool { a.rawValue < b.rawValue }
  }

  /// An item that someone wants, and how much.
  struct Wish {
    var item: Item
    var zone: Zone
    /// How far away it is within its zone, in the direction in which the zone is walked.
    var distance: Int
    /// Whether an older state of it is there meanwhile.
    var isAgain: Bool

    init(_ item: Item, _ zone: Zone, _ distance: Int, isAgain: Bool = false) {
      self.item = item
      self.zone = zone
      self.distance = distance
      self.isAgain = isAgain
    }
  }

  /// What the source is to be told. Cancels come first: an item may stand in both.
  struct Commands {
    var cancels: [Item] = []
    var loads: [Item] = []
    /// What was not answered in time: cancelled, and to be shown as failed.
    var overdue: [Item] = []
  }

  /// What a result is good for.
  enum Arrival {
    /// Someone wants it.
    case wanted
    /// Nobody does any more: it was asked for, and may be kept.
    case unwanted
    /// It was not asked for.
    case unasked
  }

  /// How long a load in flight is left alone after the last who wanted it has moved on.
  static var grace: Duration { .milliseconds(250) }
  /// The first pause after a failure; each further one is twice as long.
  static var firstPause: Duration { .seconds(1) }
  /// The longest pause.
  static var longestPause: Duration { .seconds(60) }
  /// Of how many cancelled items it is remembered that they were, so that their late results are counted as wasted.
  private static var rememberedCancels: Int { 1024 }

  private struct Rank: Comparable {
    var zone: Zone
    var distance: Int
    var isAgain = false

    init(_ wish: Wish) {
      (zone, distance) = (wish.zone, wish.distance)
      guard wish.isAgain else { return }
      // All of it is equally urgent: who wanted it first gets it first.
      (zone, distance, isAgain) = (.trailing, 0, true)
    }

    static func < (a: Rank, b: Rank) -> Bool {
      a.isAgain == b.isAgain ? (a.zone, a.distance) < (b.zone, b.distance) : b.isAgain
    }
  }

  private struct Priority: Comparable {
    var rank: Rank
    /// When it was first wanted.
    var sequence: UInt64

    static func < (a: Priority, b: Priority) -> Bool { (a.rank, a.sequence) < (b.rank, b.sequence) }
  }

  /// When something happens; of what happens at one moment, what was noted first comes first.
  private struct Turn: Comparable {
    var moment: Instant
    var sequence: UInt64

    static func < (a: Turn, b: Turn) -> Bool { (a.moment, a.sequence) < (b.moment, b.sequence) }
  }

  private enum Phase {
    /// Not asked for yet.
    case waiting
    case inFlight
    /// It has failed and is not asked for until its pause ends.
    case resting
    /// It is there, and nobody has seen it yet.
    case ready
  }

  /// Who wants an item, and how much.
  ///
  /// The most urgent rank is kept with how many share it, so that a thousand readers of one place cost no more than one each.
  private struct Holds {
    private var ranks: [SessionID: (rank: Rank, round: UInt64)] = [:]
    private(set) var best: Rank?
    private var bestCount = 0

    var isEmpty: Bool { ranks.isEmpty }
    var holders: some Collection<SessionID> { ranks.keys }

    /// - Complexity: O(1); O(holders) when the last of the most urgent becomes less so.
    mutating func set(_ holder: SessionID, _ rank: Rank, round: UInt64) {
      let former = ranks.updateValue((rank, round), forKey: holder)?.rank
      if former == rank { return }
      if let best, rank < best {
        (self.best, bestCount) = (rank, 1)
        return
      }
      if best == nil { best = rank }
      if best == rank { bestCount += 1 }
      if let former { lose(former) }
    }

    /// Takes back what the holder wanted before this round. The result is whether it did.
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
        precondition(bestCount == ranks.values.count { $0.rank == best }, "those who share a rank are miscounted")
      #endif
    }
  }

  private struct Entry {
    var item: Item
    var phase = Phase.waiting
    var holds = Holds()
    /// How often in a row it failed.
    var failures = 0
    var sequence: UInt64
  }

  let policy: PrefetchPolicy
  /// How many loads may be in flight.
  let bound: Int
  /// By number; a free number has none.
  private var entries: [Entry?] = []
  private var freeNumbers: [Int] = []
  private var numbers: [Item: Int] = [:]
  /// What each holder wants, by number. A number may have been freed since: then the entry has no hold of this round.
  private var wishes: [SessionID: [Int]] = [:]
  private var round: UInt64 = 0
  private var nextSequence: UInt64 = 0
  private var waiting = IndexedHeap<Priority>()
  /// In flight, by when the answer is overdue.
  private var unanswered = IndexedHeap<Turn>()
  /// In flight and wanted by nobody, by when it is cancelled.
  private var letGo = IndexedHeap<Turn>()
  private var resting = IndexedHeap<Turn>()
  /// Items that were cancelled and may still be answered, and in which order.
  private var cancelled: [Item: UInt64] = [:]
  private var cancelOrder: [(item: Item, sequence: UInt64)] = []
  private var readyCount = 0
  private var counts = PrefetchCounters()
  /// The outside's clock when it was last seen, and ours, which never goes back.
  private var seen: Instant?
  private var time = Instant.zero

  /// An empty queue.
  init(_ policy: PrefetchPolicy) {
    self.policy = policy
    bound = min(max(policy.inFlight, 1), PrefetchPolicy.greatestInFlight)
  }

  // MARK: Looking

  /// Whether it knows of nothing.
  var isEmpty: Bool { numbers.isEmpty }
  /// How many loads are in flight.
  var inFlight: Int { unanswered.count }
  /// How many items it knows of.
  var count: Int { numbers.count }
  /// The items that it knows of, in an order that depends on nothing but what happened.
  var items: some Sequence<Item> { entries.lazy.compactMap { $0?.item } }
  /// Whether something is there that nobody has seen yet.
  var isAnyReady: Bool { readyCount > 0 }

  /// Whether the item is there, and nobody has seen it yet. Such an item is to be wanted like one that lacks, so that it counts as a
  /// hit when it comes into sight, and as wasted when it never does.
  func isReady(_ item: Item) -> Bool {
    guard let number = numbers[item] else { return false }
    return entries[number]?.phase == .ready
  }

  /// Whether someone wants the item, and it neither came nor failed.
  func isAwaited(_ item: Item) -> Bool {
    guard let entry = numbers[item].flatMap({ entries[$0] }), !entry.holds.isEmpty else { return false }
    return entry.phase == .waiting || entry.phase == .inFlight
  }

  /// What has happened so far, and is going on.
  var counters: PrefetchCounters {
    var counters = counts
    counters.waiting = waiting.count
    counters.inFlight = inFlight
    return counters
  }

  /// When to call ``advance(to:)`` again; `nil` when nothing waits.
  var deadline: Instant? {
    guard let seen else { return nil }
    if canStart || canMakeRoom { return seen }
    let turns = [letGo.first?.priority, resting.first?.priority, unanswered.first?.priority]
    return turns.compactMap(\.self).min().map { seen.advanced(by: max(.zero, time.duration(to: $0.moment))) }
  }

  private var canStart: Bool { !waiting.isEmpty && unanswered.count < bound }
  /// Whether something visible waits for the place of what nobody wants.
  private var canMakeRoom: Bool { waiting.first?.priority.rank.zone == .visible && !letGo.isEmpty }

  // MARK: Wishes

  /// Takes all that a holder wants now; what it wanted before and does not name is let go.
  ///
  /// - Complexity: O(k log n) for k items named, now or before.
  mutating func want(_ wishes: [Wish], by holder: SessionID, at now: Instant) {
    follow(now)
    round += 1
    var named: [Int] = []
    named.reserveCapacity(wishes.count)
    for wish in wishes {
      let number = self.number(for: wish.item)
      named.append(number)
      entries[number]?.holds.set(holder, Rank(wish), round: round)
    }
    let former = self.wishes.updateValue(named, forKey: holder) ?? []
    for number in former { release(number, holder, before: round) }
    // Only now: what is ready and seen is forgotten here, and its number free.
    for number in named { refresh(number) }
    if named.isEmpty { self.wishes[holder] = nil }
    checkInvariants()
  }

  /// The holder wants nothing any more.
  mutating func leave(_ holder: SessionID, at now: Instant) {
    follow(now)
    round += 1
    for number in wishes.removeValue(forKey: holder) ?? [] { release(number, holder, before: round) }
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

  /// Takes back a hold that is older than this round.
  private mutating func release(_ number: Int, _ holder: SessionID, before round: UInt64) {
    guard entries[number]?.holds.remove(holder, before: round) == true else { return }
    refresh(number)
  }

  /// Puts an entry where its holds and its phase say that it belongs.
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
    case .resting: break  // until its pause ends
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

  /// Takes an entry out of whatever its phase keeps it in.
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

  // MARK: What becomes of items

  /// The item is there.
  ///
  /// - Complexity: O(log n).
  mutating func finish(_ item: Item, at now: Instant) -> Arrival {
    follow(now)
    defer { checkInvariants() }
    let wasCancelled = cancelled.removeValue(forKey: item) != nil
    guard let number = numbers[item], let entry = entries[number], entry.phase != .ready else {
      if wasCancelled { counts.wasted += 1 } else { counts.unasked += 1 }
      return wasCancelled ? .unwanted : .unasked
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

  /// Something came for which there is not even an item.
  mutating func noteUnasked() { counts.unasked += 1 }

  /// The item could not be loaded. The result is whether it was in flight; otherwise nothing changes.
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

  /// The item is not there any more after it was, or a new try is worth while: it is asked for again if someone wants it.
  mutating func renew(_ item: Item, at now: Instant) {
    follow(now)
    guard let number = numbers[item], let phase = entries[number]?.phase else { return }
    guard phase == .ready || phase == .resting else { return }
    enter(.waiting, number)
    entries[number]?.failures = 0
    refresh(number)
    checkInvariants()
  }

  /// Nobody can want the item any more: its row is gone, or it came in another way. What is in flight is cancelled, whatever the source
  /// prefers, unless someone wants it anew before the next ``advance(to:)``.
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

  /// Answers with what the source is to be told at this moment.
  ///
  /// - Complexity: O(log n) for each item that something happens to.
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

  /// Lets our clock run on with the outside's; when that one goes back, ours stands still.
  private mutating func follow(_ now: Instant) {
    if let seen, now > seen { time = time.advanced(by: seen.duration(to: now)) }
    seen = now
  }
}

extension PrefetchQueue {
  /// Every item is in exactly the places that its phase says, wanted by those who say so, and no more are in flight than may be.
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
          !entry.holds.isEmpty || entry.phase == .inFlight || entry.phase == .resting, "nobody wants item \(number)")
        precondition(
          entry.phase != .inFlight || !entry.holds.isEmpty || policy.prefersToFinish || letGo.contains(number),
          "nobody wants item \(number), and nothing ends it")
        entry.holds.checkInvariants()
        for holder in entry.holds.holders {
          precondition(
            wishes[holder]?.contains(number) == true, "item \(number) is held by one who does not say so")
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
