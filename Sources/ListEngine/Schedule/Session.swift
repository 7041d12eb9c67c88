/// The state of one client on one table: its query, its viewport, its window and its patch in
/// flight.
final class Session {
  let id: SessionID
  /// The name of the requested table, which may not exist yet.
  let tableName: String
  /// The owner whose sessions share a limit on views, or `nil` for none.
  let owner: Int?
  /// Whether the session has no access to operator-only columns.
  let isRestricted: Bool
  /// The number of the last request, which the next window answers.
  var request: UInt64
  var queryRequest: QueryRequest
  /// The displayed view, or `nil` while the table does not exist.
  var view: (any QueryView)? {
    willSet { if let view { pause?.end(on: view) } }
    didSet {
      if view != nil { good = nil }
      folded = view?.folded(collapsed)
      checkResumed()
      if let view { pause?.begin(on: view) }
    }
  }
  /// The paths of the sections that the client has collapsed.
  var collapsed: Set<[Cell]> = [] { didSet { folded = view?.folded(collapsed) } }
  /// The view with the collapsed sections folded.
  private(set) var folded: FoldedView?
  var reader = Reader()
  /// The last query that succeeded, kept until the outcome of a later one is known.
  private var good: Good?
  /// Whether the last request was refused with no earlier query to restore.
  var isIdle = false
  /// The window last sent.
  var base: WindowState?
  /// The window that the client holds until it applies the patch in flight.
  ///
  /// It is `nil` if the patch answers another query.
  private var formerBase: WindowState?
  /// The view that the session left, for a client that resumes it.
  private weak var formerView: (any QueryView)?
  /// Whether a resumed client is owed an answer even if nothing has changed.
  private var owesAnswer = false
  /// The scroll anchor of a client that waits for a window, with its offset from the viewport's
  /// top.
  private var anchorToFind: (row: RowID, offset: Int)?
  /// The number of the last window or patch sent.
  var sequence: UInt64 = 0
  /// The time at which the patch in flight was sent, or `nil` if all are acknowledged.
  var sentAt: Instant?
  /// The number of items by which the client will follow its anchor when it applies the patch in
  /// flight.
  ///
  /// If the client rejects the patch, the replacement carries the same shift.
  private var shiftOnItsWay = 0
  /// The number of items by which the patch in flight moves the viewport.
  ///
  /// It does not depend on what the user has scrolled since.
  private var sentShift = 0
  var isWritable = true
  var isHidden = false
  /// The pause state, while the client is paused.
  private var pause: Pause?
  /// Whether a paused client lacks visible rows, which are sent despite the pause.
  private var lacksRows = false
  /// The hold on the row order, while the user has one.
  private var hold: Hold?
  /// Whether the client requested items other than those it holds.
  ///
  /// The answer is sent before a hold begins, because the hold would block it.
  private var awaitsItems = true
  /// Whether a changed source status has not been sent yet.
  var owesStatus = false
  /// Whether a flush was requested directly and does not wait for the throttle.
  var wantsFlush = true
  /// Whether a whole window must be sent.
  var wantsWindow = true
  /// Whether the client does not yet hold the window of its current query.
  ///
  /// Until then its scroll positions refer to the previous query.
  private var awaitsWindow = false
  /// Whether the displayed rows may have changed since ``prefetchTargets`` was last read.
  var hasNewPrefetchTargets = false
  /// Whether the session is in its table's list of changed outlooks.
  var isListedForPrefetch = false
  var throttle: Throttle
  var pace: Pace
  /// The statistics of the session.
  var counters = EngineCounters()
  /// The table's change count when changes were last counted.
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

  /// Continues the numbering and socket state of another session on the same socket.
  ///
  /// A late message about the former table is then not mistaken for one about the new table.
  func goOn(from former: Session) {
    sequence = former.sequence
    isWritable = former.isWritable
    isHidden = former.isHidden
    awaitsWindow = sequence > 0
  }

  /// Prepares the session for a client that disconnected and may come back.
  func willLeave() {
    formerView = view
    hold = nil
  }

  /// Resumes a lost session, as far as its state is known.
  func resume(from parked: Session?, at point: ResumePoint) {
    anchorToFind = point.anchorOffset.flatMap { offset in reader.namedAnchor.map { ($0, offset) } }
    // The sequence continues in any case: messages before the answer refer to the state that the
    // client holds.
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

  /// Discards the resumed window if its section numbers or row ids may have changed.
  ///
  /// Section numbers are valid only within one view, and so are row ids of a windowed source.
  private func checkResumed() {
    guard owesAnswer, let view, view.isGrouped || !(view is ListView), view !== formerView else { return }
    base = nil
    wantsWindow = true
  }

  /// Whether the client gets no patches because it is hidden or paused.
  var isQuiet: Bool { isHidden || pause != nil }

  /// Whether the client holds only rows of its view, under the view's row ids.
  var holdsRowsOfView: Bool { base != nil && !awaitsWindow && (sentAt == nil || formerBase != nil) }

  /// Whether a patch can be sent.
  ///
  /// The client must be visible and writable and have acknowledged the last patch. A paused client
  /// must lack rows.
  var isReady: Bool {
    !isHidden && (pause == nil || lacksRows) && isWritable && sentAt == nil && view?.awaitsSource == false
  }

  /// Returns the time at which the session is next due, or `nil` if it waits for another event.
  ///
  /// - Parameter tick: The tick of the session's flush interval.
  func deadline(inStepWith tick: Instant?) -> Instant? {
    if owesStatus && !isQuiet { return .zero }
    if let pause, !isHidden, !isReady { return pause.throttle.deadline }
    guard isReady else { return nil }
    if wantsFlush { return .zero }
    return [throttle.deadline(inStepWith: tick), hold?.deadline].compactMap(\.self).min()
  }

  /// Moves future times back to `now` if the clock went back.
  func follow(_ now: Instant) {
    throttle.follow(now)
    pause?.throttle.follow(now)
    hold?.follow(now)
  }

  /// Whether the session needs notice of the next change; it is `false` if one is already recorded.
  var awaitsChange: Bool {
    guard !isHidden, view != nil else { return false }
    return pause.map { !$0.throttle.isWaiting } ?? !throttle.isWaiting
  }

  /// Adds the table's changes since the last call; `changes` is the table's change count.
  func count(_ changes: UInt64) {
    counters.changes += changes - countedChanges
    countedChanges = changes
  }

  /// Records that the table has changed.
  ///
  /// A hidden client gets all such changes in one patch later; a paused one gets a count.
  func noteChange(at now: Instant) {
    if pause == nil, !isHidden { throttle.noteChange(at: now) }
    if !isHidden { pause?.throttle.noteChange(at: now) }
  }

  /// Returns whether a flush may be due, judged before the view has caught up.
  ///
  /// An expired hold ends here.
  func mayBeDue(at now: Instant, _ ticks: Ticks) -> Bool {
    guard isReady else { return false }
    if hold?.isOver(at: now) == true { endHold() }
    return wantsFlush || throttle.isDue(at: now, inStepWith: ticks[throttle.interval])
  }

  /// Returns whether a paused client may be due a report of waiting changes.
  func mayBeToldWaiting(at now: Instant) -> Bool { !isHidden && pause?.throttle.isDue(at: now) == true }

  /// Takes a flush from the throttle and returns whether a patch is due.
  func takeDue(at now: Instant, _ ticks: inout Ticks) -> Bool {
    guard isReady, canLook() else { return false }
    // A direct flush bypasses the throttle: it neither counts as a throttled flush nor cancels one.
    if wantsFlush {
      counters.directFlushes += 1
      return true
    }
    guard throttle.takeFlush(at: now, inStepWith: ticks[throttle.interval]) else { return false }
    counters.throttledFlushes += 1
    ticks.noteFlush(of: throttle.interval, at: now)
    return true
  }

  /// Returns whether the view can show the rows of the session's window.
  ///
  /// A view under construction shows only its first items, and only for a first window. Otherwise
  /// the position of the scroll anchor is unknown until the order is complete. The same holds for
  /// the newer rows of a paused client.
  private func canLook() -> Bool {
    guard let folded, let view = view as? ListView, view.build != nil else { return true }
    guard pause == nil, wantsWindow, base == nil || awaitsWindow, anchorToFind == nil,
      let found = folded.selectFirstItems()
    else { return false }
    // Compute the position after placement: a client that sticks to the end moves there first.
    var placed = reader
    _ = placed.follow(folded, since: nil)
    return placed.window(of: folded.itemCount).upperBound <= found
  }

  /// Starts another query; its window begins at the viewport's position, or at the top.
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

  /// Collapses or expands a section.
  func setCollapsed(_ isCollapsed: Bool, _ path: [Cell]) {
    guard collapsed.contains(path) != isCollapsed else { return }
    if isCollapsed { collapsed.insert(path) } else { collapsed.remove(path) }
    (wantsFlush, awaitsItems) = (true, true)
  }

  /// Returns the path of the section that the client knows by this number.
  func path(ofSection number: UInt32) -> [Cell]? {
    // Sections of another query, or of a window from before a reconnect, have other numbers.
    guard !awaitsWindow, let base else { return nil }
    return base.path(of: number) ?? view?.section(numbered: number)?.path
  }

  /// Moves the viewport.
  func scroll(to viewport: Viewport, limits: Limits) {
    reader.resize(viewport, limits: limits)
    wantsFlush = true
    hasNewPrefetchTargets = true
    guard !awaitsWindow || (!wantsWindow && viewport.sequence >= sequence) else {
      // The viewport refers to the previous query, which is restored if this one is refused.
      good?.scroll(to: viewport, isBehind: viewport.sequence < sequence, limits: limits)
      return
    }
    let former = reader.first
    // Scrolling changes the offset of the anchor to find by the same amount.
    defer { anchorToFind?.offset -= reader.first - former }
    if viewport.sequence < sequence {
      reader.go(to: viewport, shift: sentShift)
      // Neither the engine nor the client scrolls above the top. If the client rejects the patch,
      // the shift must lead to exactly this position.
      shiftOnItsWay = reader.first - viewport.place
    } else {
      reader.go(to: viewport, shift: 0)
      // A viewport with the current sequence proves that the patch has been applied.
      (sentShift, shiftOnItsWay) = (0, 0)
    }
    // A hold continues while all visible rows are in the window; other rows need the current order.
    guard let base, !holdsAll(of: base) else { return }
    release()
    lacksRows = pause != nil
  }

  /// Returns whether all visible items are in the window.
  private func holdsAll(of base: WindowState) -> Bool {
    (base.start..<base.start + base.items.count).contains(reader.visible(of: base.total))
  }

  /// Returns whether visible rows were still loading when the window was cut.
  private func awaitsRows(of base: WindowState) -> Bool {
    let held = base.start..<base.start + base.items.count
    return reader.visible(of: base.total).clamped(to: held).contains { position in
      guard case .row(let row) = base.items[position - base.start] else { return false }
      return row.absence != nil
    }
  }

  /// Holds the row order for a time while the user points, selects or edits.
  ///
  /// Has no effect while the client gets no patches or waits for a window.
  func holdOrder(for length: Duration, at now: Instant) {
    guard base != nil, view != nil, !wantsWindow, !awaitsWindow, !isQuiet else { return }
    hold = Hold(at: now, length: length)
  }

  /// Whether the row order is held.
  var isHeld: Bool { hold != nil && !awaitsItems }

  /// Ends the hold at the user's request; waiting changes are sent at once.
  func endHold() {
    guard hold != nil else { return }
    release()
  }

  /// Ends the hold because the client requested items outside the held order.
  ///
  /// They are sent at once.
  func release() {
    hold = nil
    (wantsFlush, awaitsItems) = (true, true)
  }

  /// Records that the client applied the patch in flight; late acknowledgements are ignored.
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

  /// Schedules a whole window because the client could not apply the patch in flight.
  ///
  /// The client has not followed its scroll anchor; the window carries the shift.
  func resync() {
    if pause != nil { lacksRows = true }
    sentAt = nil
    hold = nil
    good?.wantsWindow = true
    (wantsWindow, wantsFlush) = (true, true)
  }

  /// Sets the flush interval requested by the client.
  func setInterval(_ interval: Duration) {
    pace.ask(interval)
    throttle.interval = pace.interval
  }

  /// Hides or shows the client; a hidden one gets nothing, and one patch on its return.
  func setHidden(_ isHidden: Bool, at now: Instant) {
    guard isHidden != self.isHidden else { return }
    self.isHidden = isHidden
    hasNewPrefetchTargets = true
    hold = nil
    if isHidden { throttle.cancel() } else { (wantsFlush, awaitsItems) = (true, true) }
    if !isHidden { pause?.throttle.noteChange(at: now) }
  }

  /// Pauses or resumes the client; a paused one gets only change counts, and one patch on resuming.
  func setPaused(_ isPaused: Bool) {
    guard isPaused != (pause != nil) else { return }
    hold = nil
    lacksRows = false
    if isPaused {
      pause = Pause()
      throttle.cancel()
      if let view { pause?.begin(on: view) }
      // Rows requested just before the pause are still sent.
      lacksRows = wantsWindow || base.map { !holdsAll(of: $0) } ?? true
      if lacksRows { wantsFlush = true }
    } else {
      if let view { pause?.end(on: view) }
      pause = nil
      (wantsFlush, awaitsItems) = (true, true)
    }
  }

  /// Returns the report that is due for a paused client, if any.
  func takeWaiting(at now: Instant) -> Waiting? {
    guard !isHidden, let view else { return nil }
    // Blocks loaded during the pause replace their placeholders.
    if mayBeToldWaiting(at: now), let base, awaitsRows(of: base) { (lacksRows, wantsFlush) = (true, true) }
    return pause?.takeDue(of: view, at: now)
  }

  /// Returns the indices of the window's rows that were changed or inserted since the pause.
  ///
  /// The result is empty if the client is not paused.
  func newerRows(of window: WindowState) -> [Int] {
    guard let pause, let view else { return [] }
    return window.items.indices.filter { index in
      guard case .row(let row) = window.items[index], let slot = view.table.slot(of: row.id) else { return false }
      return pause.isNewer(slot, in: view)
    }
  }

  /// Cuts a patch from the last window to the current rows, or returns `nil` if they are equal.
  func cut(
    at now: Instant, limits: Limits, shared: inout [CutKey: Cutter.Result], windows: inout SharedWindows
  ) -> (patch: Patch, shift: Int)? {
    guard let folded else { return nil }
    hasNewPrefetchTargets = true
    folded.view.catchUp()
    guard canLook() else {
      // So much changed that the view is being rebuilt.
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
    // An empty patch is sent only to move the client to its anchor or to answer a resume.
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

  /// Returns a cutter that cuts to the current order, and moves the viewport along.
  private func followingCutter(_ folded: FoldedView, _ limits: Limits) -> (Cutter, shift: Int) {
    // A window of another query says nothing about positions in this one.
    let found = !wantsWindow ? 0 : anchorToFind.map { reader.find($0.row, offset: $0.offset, in: folded) } ?? 0
    let shift = shiftOnItsWay + found + reader.follow(folded, since: awaitsWindow ? nil : base)
    return (cutter(folded, reader, budget: limits.patchBytes), shift)
  }

  /// Returns a cutter that keeps the held order, and counts the moves that the hold delays.
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
  /// A query that succeeded, with the client's position in it.
  struct Good {
    let request: UInt64
    let query: QueryRequest
    fileprivate weak var view: (any QueryView)?
    fileprivate var reader: Reader
    fileprivate var sentShift: Int
    fileprivate var shiftOnItsWay: Int
    fileprivate var wantsWindow: Bool
    fileprivate var awaitsWindow: Bool

    /// Scrolls in the rows of this query.
    ///
    /// - Parameter isBehind: Whether the client has not applied the last patch.
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

  /// Remembers the current query, to restore it if the next one is refused.
  private func noteGood() {
    guard let view else { return }
    var query = queryRequest
    query.collapsed = Array(collapsed)
    good = Good(
      request: request, query: query, view: view, reader: reader, sentShift: sentShift, shiftOnItsWay: shiftOnItsWay,
      wantsWindow: wantsWindow, awaitsWindow: awaitsWindow)
  }

  /// Removes and returns the last query that succeeded, if any.
  func takeGood() -> Good? {
    defer { good = nil }
    return good
  }

  /// Restores an earlier query.
  func goBack(to good: Good) {
    (request, queryRequest, reader) = (good.request, good.query, good.reader)
    (sentShift, shiftOnItsWay) = (good.sentShift, good.shiftOnItsWay)
    (wantsWindow, awaitsWindow, wantsFlush) = (good.wantsWindow, good.awaitsWindow, true)
  }

  /// Discards the window if another view now shows the same query.
  ///
  /// Section numbers and the row ids of a windowed source differ between views.
  func checkWindow(of good: Good) {
    guard view == nil || view !== good.view else { return }
    base = nil
    (wantsWindow, wantsFlush) = (true, true)
  }

  /// Discards the window because there is nothing to show.
  func forgetWindow() {
    (base, formerBase) = (nil, nil)
    (wantsWindow, wantsFlush, awaitsWindow) = (true, true, sequence > 0)
  }

  /// The rows of the last window at the present viewport, ordered by urgency.
  ///
  /// Visible rows come first, then those ahead, then those behind, each from near to far. Rows
  /// outside the present window are left out; rows newly scrolled to come with the next patch. The
  /// result is empty while the client is hidden or waits for another query's window.
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
