/// One page on one table: what it asked for, what it holds, and what is on its way to it.
final class Session {
  let id: SessionID
  /// The table it asked for; it may not be there yet.
  let tableName: String
  /// The owner whose sessions share a limit of views; `nil` for none.
  let owner: Int?
  /// Whether the columns for operators do not exist for it.
  let isRestricted: Bool
  /// The last request, which the next window answers.
  var request: UInt64
  var queryRequest: QueryRequest
  /// `nil` while the table is not there.
  var view: (any QueryView)? {
    willSet { if let view { pause?.end(on: view) } }
    didSet {
      if view != nil { good = nil }
      folded = view?.folded(collapsed)
      checkResumed()
      if let view { pause?.begin(on: view) }
    }
  }
  /// The values of the sections that the page has collapsed.
  var collapsed: Set<[Cell]> = [] { didSet { folded = view?.folded(collapsed) } }
  /// The view without what the page has collapsed.
  private(set) var folded: FoldedView?
  var reader = Reader()
  /// The last query that could be answered, while it is not known of a later one whether it can.
  private var good: Good?
  /// Whether its last request was refused, and there is none that it could go back to.
  var isIdle = false
  /// What was last sent.
  var base: WindowState?
  /// What the page holds until it has applied what is on its way; `nil` when that answers another query.
  private var formerBase: WindowState?
  /// The view that was left, for one who comes back.
  private weak var formerView: (any QueryView)?
  /// A page that came back: it is answered though nothing has changed.
  private var owesAnswer = false
  /// Its anchor, as long as it waits for a window, and how far below the first visible item that is.
  private var anchorToFind: (row: RowID, offset: Int)?
  /// The number of what was last sent.
  var sequence: UInt64 = 0
  /// When what is on its way was sent; `nil` when all is acknowledged.
  var sentAt: Instant?
  /// By how much the page will follow its anchor when it applies what is on its way, or what it refused and gets anew.
  private var shiftOnItsWay = 0
  /// By how much what is on its way moves the page when it is applied, wherever the reader has scrolled meanwhile.
  private var sentShift = 0
  var isWritable = true
  var isHidden = false
  /// While the page pauses, what it is told instead.
  private var pause: Pause?
  /// While the page pauses: it lacks rows that are in sight, and is to get them all the same.
  private var lacksRows = false
  /// While its reader holds the order.
  private var hold: Hold?
  /// Whether the client has asked to see other items than those it holds. What answers that comes before a hold begins, which would keep
  /// it away.
  private var awaitsItems = true
  /// Whether the source's state has changed since the page was told.
  var owesStatus = false
  /// Whether a flush was asked for directly: it does not wait for the throttle.
  var wantsFlush = true
  /// Whether a whole window must be sent.
  var wantsWindow = true
  /// Whether a window for another query is not yet on the page: what the page says of its place is about the old one.
  private var awaitsWindow = false
  /// Whether its reader may see other rows than when ``prefetchTargets`` was last looked at.
  var hasNewPrefetchTargets = false
  /// Whether its table knows that.
  var isListedForPrefetch = false
  var throttle: Throttle
  var pace: Pace
  /// What was done for it.
  var counters = EngineCounters()
  /// How often its table had changed when that was last counted.
  var countedChanges: UInt64 = 0

  init(
    _ id: SessionID, table: String, request: UInt64, query: QueryRequest, viewport: Viewport?, interval: Duration,
    owner: Int? = nil, isRestricted: Bool = false, limits: Limits
  ) {
    self.id = id
    self.tableName = table
    self.owner = owner
    self.isRestricted = isRestricted
    self.request = request
    self.queryRequest = query
    pace = Pace(asked: interval)
    throttle = Throttle(interval: pace.interval)
    guard let viewport else { return }
    reader.resize(viewport, limits: limits)
    reader.go(to: viewport, shift: 0)
  }

  /// Follows another session on the same socket: numbers go on, so that a late word about the old table is not taken for one about
  /// this one, and the socket is as busy as it was.
  func goOn(from former: Session) {
    sequence = former.sequence
    isWritable = former.isWritable
    isHidden = former.isHidden
    awaitsWindow = sequence > 0
  }

  /// The page is gone, but may come back.
  func willLeave() {
    formerView = view
    hold = nil
  }

  /// Goes on where another session was lost, as far as that is known.
  func resume(from parked: Session?, at point: ResumePoint) {
    anchorToFind = point.anchorOffset.flatMap { offset in reader.namedAnchor.map { ($0, offset) } }
    // Numbers go on either way: what the page says before it is answered is about what it holds, not about what is on its way.
    sequence = point.sequence
    guard let parked else { return }
    var query = parked.queryRequest
    query.collapsed = queryRequest.collapsed
    guard parked.tableName == tableName, parked.isRestricted == isRestricted, query == queryRequest, !parked.wantsWindow
    else { return }
    base = point.sequence == parked.sequence ? parked.base : nil
    if parked.sentAt != nil, point.sequence == parked.sequence - 1 { base = parked.formerBase }
    guard base != nil else { return }
    formerView = parked.formerView
    (wantsWindow, owesAnswer) = (false, true)
  }

  /// A section's number means the same only as long as the view exists, and so do the ids of rows that a windowed source keeps.
  private func checkResumed() {
    guard owesAnswer, let view, view.isGrouped || !(view is ListView), view !== formerView else { return }
    base = nil
    wantsWindow = true
  }

  /// Whether the page gets nothing: nobody can see it, or its reader wants it to stay as it is.
  var isQuiet: Bool { isHidden || pause != nil }

  /// Whether the page holds nothing but rows of its view, under the ids that they have there.
  var holdsRowsOfView: Bool { base != nil && !awaitsWindow && (sentAt == nil || formerBase != nil) }

  /// Whether the page can be given something: it shows, and has taken and acknowledged the last. One that pauses gets only what it lacks.
  var isReady: Bool {
    !isHidden && (pause == nil || lacksRows) && isWritable && sentAt == nil && view?.awaitsSource == false
  }

  /// When it must be looked at again by itself; `tick` is that of its interval.
  func deadline(inStepWith tick: Instant?) -> Instant? {
    if owesStatus && !isQuiet { return .zero }
    if let pause, !isHidden, !isReady { return pause.throttle.deadline }
    guard isReady else { return nil }
    if wantsFlush { return .zero }
    return [throttle.deadline(inStepWith: tick), hold?.deadline].compactMap(\.self).min()
  }

  /// What lay in the past lies at `now` at the latest: the clock went back.
  func follow(_ now: Instant) {
    throttle.follow(now)
    pause?.throttle.follow(now)
    hold?.follow(now)
  }

  /// Whether it has to hear of the next change: of others it knows already that there are some.
  var awaitsChange: Bool {
    guard !isHidden, view != nil else { return false }
    return pause.map { !$0.throttle.isWaiting } ?? !throttle.isWaiting
  }

  /// Counts the changes that it is told of now; `changes` is its table's count.
  func count(_ changes: UInt64) {
    counters.changes += changes - countedChanges
    countedChanges = changes
  }

  /// Something has changed in the table. A page that is quiet gets all of it in one patch later.
  func noteChange(at now: Instant) {
    if pause == nil, !isHidden { throttle.noteChange(at: now) }
    if !isHidden { pause?.throttle.noteChange(at: now) }
  }

  /// Whether something may be due now, as far as it can be told before the view has caught up. A hold that is over ends here.
  func mayBeDue(at now: Instant, _ ticks: Ticks) -> Bool {
    guard isReady else { return false }
    if hold?.isOver(at: now) == true { endHold() }
    return wantsFlush || throttle.isDue(at: now, inStepWith: ticks[throttle.interval])
  }

  /// Whether it is time to tell a page that pauses what waits.
  func mayBeToldWaiting(at now: Instant) -> Bool { !isHidden && pause?.throttle.isDue(at: now) == true }

  /// Whether a patch is due now. What the throttle lets through is taken.
  func takeDue(at now: Instant, _ ticks: inout Ticks) -> Bool {
    guard isReady, canLook() else { return false }
    // The throttle is not asked when a flush is wanted directly: such a flush neither counts nor cancels.
    if wantsFlush {
      counters.directFlushes += 1
      return true
    }
    guard throttle.takeFlush(at: now, inStepWith: ticks[throttle.interval]) else { return false }
    counters.throttledFlushes += 1
    ticks.noteFlush(of: throttle.interval, at: now)
    return true
  }

  /// Whether the view can show what the page is to hold. One that is being put together shows its first items only, once, and not to
  /// a page that goes on reading: where its anchor is now is known when all is in order. Nor to one that pauses: which rows are newer is
  /// known then, too.
  private func canLook() -> Bool {
    guard let folded, let view = view as? ListView, view.build != nil else { return true }
    guard pause == nil, wantsWindow, base == nil || awaitsWindow, anchorToFind == nil,
      let found = folded.selectFirstItems()
    else { return false }
    // Where it will be, not where it is: one that sticks to the end goes there first.
    var placed = reader
    _ = placed.follow(folded, since: nil)
    return placed.window(of: folded.itemCount).upperBound <= found
  }

  /// Another query: its window starts where the viewport says, or at the top.
  func ask(_ query: QueryRequest, request: UInt64, viewport: Viewport?, limits: Limits) {
    noteGood()
    self.request = request
    queryRequest = query
    setPaused(false)  // whoever asks for something else wants to see it
    hold = nil
    if let viewport { reader.resize(viewport, limits: limits) }
    reader.go(to: viewport ?? Viewport(), shift: 0)
    sentShift = 0
    shiftOnItsWay = 0
    (owesAnswer, anchorToFind) = (false, nil)
    (wantsWindow, wantsFlush, awaitsWindow) = (true, true, true)
  }

  /// The page collapses a section, or expands it.
  func setCollapsed(_ isCollapsed: Bool, _ path: [Cell]) {
    guard collapsed.contains(path) != isCollapsed else { return }
    if isCollapsed { collapsed.insert(path) } else { collapsed.remove(path) }
    (wantsFlush, awaitsItems) = (true, true)
  }

  /// The values of the section with this number, as the page knows it.
  func path(ofSection number: UInt32) -> [Cell]? {
    // What the page holds of another query names other sections; and so may what it holds from before its connection was lost.
    guard !awaitsWindow, let base else { return nil }
    return base.path(of: number) ?? view?.section(numbered: number)?.path
  }

  /// The reader scrolled.
  func scroll(to viewport: Viewport, limits: Limits) {
    reader.resize(viewport, limits: limits)
    wantsFlush = true
    hasNewPrefetchTargets = true
    guard !awaitsWindow || (!wantsWindow && viewport.sequence >= sequence) else {
      // It is about rows of the query before, which are gone back to if this one is refused.
      good?.scroll(to: viewport, isBehind: viewport.sequence < sequence, limits: limits)
      return
    }
    let former = reader.first
    // Who has scrolled is as much farther from the row that is looked for.
    defer { anchorToFind?.offset -= reader.first - former }
    if viewport.sequence < sequence {
      reader.go(to: viewport, shift: sentShift)
      // Neither we nor the page go above the top. What it is yet to follow is no more than leads there, should it refuse the patch.
      shiftOnItsWay = reader.first - viewport.place
    } else {
      reader.go(to: viewport, shift: 0)
      // What was on its way has been applied, whether or not that was acknowledged.
      (sentShift, shiftOnItsWay) = (0, 0)
    }
    // Whoever looks at what is held may go on; what is not must come from the order that is true now.
    guard let base, !holdsAll(of: base) else { return }
    release()
    lacksRows = pause != nil
  }

  /// Whether all that is in sight is in the window.
  private func holdsAll(of base: WindowState) -> Bool {
    (base.start..<base.start + base.items.count).contains(reader.visible(of: base.total))
  }

  /// Whether rows that are in sight were on their way when the window was cut.
  private func awaitsRows(of base: WindowState) -> Bool {
    let held = base.start..<base.start + base.items.count
    return reader.visible(of: base.total).clamped(to: held).contains { position in
      guard case .row(let row) = base.items[position - base.start] else { return false }
      return row.absence != nil
    }
  }

  /// The reader points, selects or edits: for a while, everything stays where it is. Not while the page gets nothing, or waits for a window;
  /// and not before it has what it has asked for.
  func holdOrder(for length: Duration, at now: Instant) {
    guard base != nil, view != nil, !wantsWindow, !awaitsWindow, !isQuiet else { return }
    hold = Hold(at: now, length: length)
  }

  /// Whether its reader holds the order.
  var isHeld: Bool { hold != nil && !awaitsItems }

  /// The order is held no longer, as its reader wishes: what waits comes at once.
  func endHold() {
    guard hold != nil else { return }
    release()
  }

  /// What is asked for is in no order that could be held: it comes at once.
  func release() {
    hold = nil
    (wantsFlush, awaitsItems) = (true, true)
  }

  /// The page has applied what was on its way; anything else it says is late and ignored.
  func acknowledge(_ sequence: UInt64, at now: Instant) {
    guard let sentAt, sequence == self.sequence else { return }
    self.sentAt = nil
    formerBase = nil
    sentShift = 0
    shiftOnItsWay = 0
    if !wantsWindow { awaitsWindow = false }
    good?.acknowledge()
    pace.noteAcknowledgement(after: sentAt.duration(to: now))
    throttle.interval = pace.interval
  }

  /// The page could not use what was on its way, and is to get a window. It has not followed its anchor: the window tells it to.
  func resync() {
    if pause != nil { lacksRows = true }
    sentAt = nil
    hold = nil
    good?.wantsWindow = true
    (wantsWindow, wantsFlush) = (true, true)
  }

  /// The page wishes another interval.
  func setInterval(_ interval: Duration) {
    pace.ask(interval)
    throttle.interval = pace.interval
  }

  /// A page out of sight gets nothing; when it comes back it gets one patch.
  func setHidden(_ isHidden: Bool, at now: Instant) {
    guard isHidden != self.isHidden else { return }
    self.isHidden = isHidden
    hasNewPrefetchTargets = true
    hold = nil
    if isHidden { throttle.cancel() } else { (wantsFlush, awaitsItems) = (true, true) }
    if !isHidden { pause?.throttle.noteChange(at: now) }
  }

  /// A page that pauses gets nothing but the count of what waits; when it goes on it gets one patch.
  func setPaused(_ isPaused: Bool) {
    guard isPaused != (pause != nil) else { return }
    hold = nil
    lacksRows = false
    if isPaused {
      pause = Pause()
      throttle.cancel()
      if let view { pause?.begin(on: view) }
      // What it asked for just before is still owed.
      lacksRows = wantsWindow || base.map { !holdsAll(of: $0) } ?? true
      if lacksRows { wantsFlush = true }
    } else {
      if let view { pause?.end(on: view) }
      pause = nil
      (wantsFlush, awaitsItems) = (true, true)
    }
  }

  /// What a page that pauses is to be told now, if anything.
  func takeWaiting(at now: Instant) -> Waiting? {
    guard !isHidden, let view else { return nil }
    // Rows that a windowed source has loaded meanwhile take the places that were kept for them.
    if mayBeToldWaiting(at: now), let base, awaitsRows(of: base) { (lacksRows, wantsFlush) = (true, true) }
    return pause?.takeDue(of: view, at: now)
  }

  /// The rows of a window, by index, that have changed or come since the page began to pause; none when it does not pause.
  func newerRows(of window: WindowState) -> [Int] {
    guard let pause, let view else { return [] }
    return window.items.indices.filter { index in
      guard case .row(let row) = window.items[index], let slot = view.table.slot(of: row.id) else { return false }
      return pause.isNewer(slot, in: view)
    }
  }

  /// Cuts what leads from what the page holds to what is true now; `nil` when they are the same.
  func cut(
    at now: Instant, limits: Limits, shared: inout [CutKey: Cutter.Result], windows: inout SharedWindows
  ) -> (patch: Patch, shift: Int)? {
    guard let folded else { return nil }
    hasNewPrefetchTargets = true
    folded.view.catchUp()
    guard canLook() else {
      // So much has changed that the view is put together again.
      wantsFlush = true
      return nil
    }
    let (cutter, shift) = isHeld ? heldCutter(folded, limits, &shared) : followingCutter(folded, limits)
    let key = CutKey(cutter)
    let result: Cutter.Result
    if let known = shared[key] {
      result = known
      counters.sharedCuts += 1
    } else {
      result = cutter.cut()
      shared[key] = result
      counters.cuts += 1
    }
    wantsFlush = !result.isComplete
    if !isHeld { awaitsItems = !result.isComplete }
    if pause != nil { lacksRows = wantsFlush }
    // An empty patch is sent only when the page has to follow its anchor.
    guard !result.isEmpty || shift != 0 || owesAnswer else { return nil }
    let patch = result.patch
    let (pool, former) = (patch.result.pool, cutter.base?.pool)
    counters.headersMade += UInt64(pool.made - (former?.made ?? 0))
    counters.headersReused += UInt64(pool.reused - (former?.reused ?? 0))
    formerBase = wantsWindow || awaitsWindow ? nil : base
    (wantsWindow, owesAnswer, anchorToFind) = (false, false, nil)
    base = result.isComplete ? windows.share(patch.result, of: folded) : patch.result
    sequence += 1
    sentAt = now
    (shiftOnItsWay, sentShift) = (shift, shift)
    isWritable = false
    return (patch, shift)
  }

  /// Cuts to where everything belongs, and takes the reader along.
  private func followingCutter(_ folded: FoldedView, _ limits: Limits) -> (Cutter, shift: Int) {
    // What the page holds of another query says nothing about this one.
    let found = !wantsWindow ? 0 : anchorToFind.map { reader.find($0.row, offset: $0.offset, in: folded) } ?? 0
    let shift = shiftOnItsWay + found + reader.follow(folded, since: awaitsWindow ? nil : base)
    return (cutter(folded, reader, budget: limits.patchBytes), shift)
  }

  /// Cuts to the same order as before, and finds how much would change without the hold.
  private func heldCutter(
    _ folded: FoldedView, _ limits: Limits, _ shared: inout [CutKey: Cutter.Result]
  ) -> (Cutter, shift: Int) {
    guard let base else { preconditionFailure("there is no order to hold") }
    var wouldBe = reader
    _ = wouldBe.follow(folded, since: base)
    let free = cutter(folded, wouldBe, budget: .max)
    let key = CutKey(free)
    let result = shared[key] ?? free.cut()
    shared[key] = result
    var held = Cutter(
      folded: folded, base: base, range: base.start..<base.start + base.items.count,
      visible: reader.visible(of: base.total), isTravellingUp: reader.isTravellingUp, budget: limits.patchBytes)
    held.waitingMoves = result.patch.moves
    return (held, shiftOnItsWay)
  }

  private func cutter(_ folded: FoldedView, _ reader: Reader, budget: Int) -> Cutter {
    Cutter(
      folded: folded, base: wantsWindow ? nil : base, range: reader.window(of: folded.itemCount),
      visible: reader.visible(of: folded.itemCount), isTravellingUp: reader.isTravellingUp, budget: budget)
  }
}

extension Session {
  /// A query that could be answered, and where its reader is.
  struct Good {
    let request: UInt64
    let query: QueryRequest
    fileprivate weak var view: (any QueryView)?
    fileprivate var reader: Reader
    fileprivate var sentShift: Int
    fileprivate var shiftOnItsWay: Int
    fileprivate var wantsWindow: Bool
    fileprivate var awaitsWindow: Bool

    /// The client has scrolled in the rows that it goes on looking at; `isBehind` when it has not applied what was last sent.
    fileprivate mutating func scroll(to viewport: Viewport, isBehind: Bool, limits: Limits) {
      reader.resize(viewport, limits: limits)
      guard !awaitsWindow || (!wantsWindow && !isBehind) else { return }
      reader.go(to: viewport, shift: isBehind ? sentShift : 0)
      shiftOnItsWay = isBehind ? reader.first - max(0, viewport.first) : 0
      if !isBehind { sentShift = 0 }
    }

    fileprivate mutating func acknowledge() {
      (sentShift, shiftOnItsWay) = (0, 0)
      if !wantsWindow { awaitsWindow = false }
    }
  }

  /// Another query is asked: should it be refused, there is one to go back to.
  private func noteGood() {
    guard let view else { return }
    var query = queryRequest
    query.collapsed = Array(collapsed)
    good = Good(
      request: request, query: query, view: view, reader: reader, sentShift: sentShift, shiftOnItsWay: shiftOnItsWay,
      wantsWindow: wantsWindow, awaitsWindow: awaitsWindow)
  }

  /// The last query that could be answered, if there is one.
  func takeGood() -> Good? {
    defer { good = nil }
    return good
  }

  /// Takes up what was asked before.
  func goBack(to good: Good) {
    (request, queryRequest, reader) = (good.request, good.query, good.reader)
    (sentShift, shiftOnItsWay) = (good.sentShift, good.shiftOnItsWay)
    (wantsWindow, awaitsWindow, wantsFlush) = (good.wantsWindow, good.awaitsWindow, true)
  }

  /// Another view shows the same query: sections have other numbers there, and rows that a windowed source keeps have other ids.
  func checkWindow(of good: Good) {
    guard view == nil || view !== good.view else { return }
    base = nil
    (wantsWindow, wantsFlush) = (true, true)
  }

  /// There is nothing to be shown.
  func forgetWindow() {
    (base, formerBase) = (nil, nil)
    (wantsWindow, wantsFlush, awaitsWindow) = (true, true, sequence > 0)
  }

  /// The rows of the window that the page was last sent, as its reader is placed now: in sight, then in the direction of travel, then
  /// behind, each from near to far. Those that the reader has scrolled away from are left out; those that it has scrolled to come with
  /// the next patch. Nothing while the page is hidden, or waits for another query's window.
  var prefetchTargets: [(row: RowID, zone: PrefetchQueue<DeferredItem>.Zone, distance: Int)] {
    guard let base, !isHidden, !(awaitsWindow && wantsWindow) else { return [] }
    let held = base.start..<base.start + base.items.count
    let window = reader.window(of: base.total).clamped(to: held)
    let visible = reader.visible(of: base.total).clamped(to: window)
    let (above, below) = (window.lowerBound..<visible.lowerBound, visible.upperBound..<window.upperBound)
    var rows: [(row: RowID, zone: PrefetchQueue<DeferredItem>.Zone, distance: Int)] = []
    func add(_ range: Range<Int>, _ zone: PrefetchQueue<DeferredItem>.Zone, isUp: Bool) {
      for distance in 0..<range.count {
        let position = isUp ? range.upperBound - 1 - distance : range.lowerBound + distance
        guard case .row(let row) = base.items[position - base.start] else { continue }
        rows.append((row.id, zone, distance))
      }
    }
    let isUp = reader.isTravellingUp
    add(visible, .visible, isUp: isUp)
    add(isUp ? above : below, .leading, isUp: isUp)
    add(isUp ? below : above, .trailing, isUp: !isUp)
    return rows
  }
}

/// What decides how a patch is cut: sessions with equal keys at one moment get one patch.
struct CutKey: Hashable {
  private let view: ObjectIdentifier
  private let base: ObjectIdentifier?
  private let range: Range<Int>
  private let visible: Range<Int>
  private let isTravellingUp: Bool
  private let waitingMoves: Int?
  private let budget: Int

  init(_ cutter: Cutter) {
    view = ObjectIdentifier(cutter.folded)
    base = cutter.base.map { ObjectIdentifier($0) }
    range = cutter.range
    visible = cutter.visible
    isTravellingUp = cutter.isTravellingUp
    waitingMoves = cutter.waitingMoves
    budget = cutter.budget
  }
}
