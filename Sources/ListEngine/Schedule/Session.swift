/// The state of one client on one table: its query, its viewport, its window and its patch in
/// flight.
///
/// The parts with rules of their own are records: ``ViewportPosition`` and ``PatchFlow`` for what
/// the client holds, ``Attention`` for what it wants to see, and ``Pacing`` for when.
final class Session: Viewer {
  /// The client's query, and the one to restore if it is refused.
  struct Requested {
    /// The number of the last request, which the next window answers.
    fileprivate(set) var request: UInt64
    fileprivate(set) var query: QueryRequest
    /// The last query that succeeded, kept until the outcome of a later one is known.
    fileprivate var good: Good?
    /// Whether the last request was refused with no earlier query to restore.
    fileprivate(set) var isIdle = false
  }

  /// The times at which patches are sent.
  struct Pacing {
    fileprivate(set) var throttle: Throttle
    fileprivate var pace: Pace
    /// Whether a flush was requested directly and does not wait for the throttle.
    fileprivate(set) var wantsFlush = true

    fileprivate init(_ interval: Duration) {
      pace = Pace(requested: interval)
      throttle = Throttle(interval: pace.interval)
    }

    fileprivate mutating func adapt(_ change: (inout Pace) -> Void) {
      change(&pace)
      throttle.interval = pace.interval
    }
  }

  /// The former state of a client that reconnects.
  private struct Resumption {
    /// The view that the session left.
    weak var previousView: (any QueryView)?
    /// Whether the client is owed an answer even if nothing has changed.
    var isAnswerPending = false
    /// The scroll anchor of a client that waits for a window, with its offset from the viewport's
    /// top.
    var anchorToFind: (row: RowID, offset: Int)?
    /// The window that the client reports to hold, until a view is shown.
    var window: ClientWindow?
    /// Whether the session's base was made from this report.
    var isBaseReported = false

    mutating func end() { (isAnswerPending, anchorToFind, window, isBaseReported) = (false, nil, nil, false) }
  }

  /// The state of the rows that the session wants to have loaded.
  private enum PrefetchTargetsState {
    case current
    /// The displayed rows may have changed since ``prefetchTargets`` was last read.
    case changed
    /// The displayed rows may have changed, and the session is in the list of such sessions.
    case listed
  }

  /// The statistics of the session.
  private struct Statistics {
    var counters = EngineCounters()
    /// The table's change count when changes were last counted.
    var countedChanges: UInt64 = 0
  }

  let id: SessionID
  /// The name of the requested table, which may not exist yet.
  let tableName: String
  /// The owner whose sessions share a limit on views, or `nil` for none.
  let owner: Int?
  /// Whether the session has no access to operator-only columns.
  let isRestricted: Bool
  private(set) var requested: Requested
  /// The displayed view, or `nil` while the table does not exist.
  private(set) var view: (any QueryView)? {
    willSet { if let view { attention.pause?.end(on: view) } }
    didSet {
      if view != nil { requested.good = nil }
      folded = view?.folded(collapsed)
      checkResumed()
      if let view { attention.pause?.begin(on: view) }
    }
  }
  /// The paths of the sections that the client has collapsed.
  private(set) var collapsed: Set<[Cell]> = [] { didSet { folded = view?.folded(collapsed) } }
  /// The view with the collapsed sections folded.
  private(set) var folded: FoldedView?
  private(set) var position: ViewportPosition
  private(set) var flow: PatchFlow
  private(set) var attention = Attention()
  private(set) var pacing: Pacing
  private var resumption = Resumption()
  private var prefetchTargetsState = PrefetchTargetsState.current
  /// Whether a changed source status has not been sent yet.
  private var isStatusPending = false
  private var statistics = Statistics()

  init(
    _ id: SessionID, table: String, request: UInt64, query: QueryRequest, viewport: Viewport?, interval: Duration,
    owner: Int? = nil, isRestricted: Bool = false, limits: Limits, flow: PatchFlow = PatchFlow()
  ) {
    self.id = id
    self.flow = flow
    self.tableName = table
    self.owner = owner
    self.isRestricted = isRestricted
    requested = Requested(request: request, query: query)
    pacing = Pacing(interval)
    position = ViewportPosition(viewport, limits: limits)
  }

  /// The window last sent.
  var base: WindowState? { flow.base }
  var scrollAnchor: ScrollAnchor { position.anchor }
  var counters: EngineCounters { statistics.counters }

  /// Continues the numbering and socket state of another session on the same socket.
  func goOn(from previous: Session) {
    flow.goOn(from: previous.flow)
    attention.isHidden = previous.attention.isHidden
    position.needFirstWindow(holdsAnother: flow.sequence > 0)
  }

  /// Prepares the session for a client that disconnected and may come back.
  func willLeave() {
    resumption.previousView = view
    attention.hold = nil
  }

  /// Resumes a lost session, as far as its state is known.
  func resume(from parked: Session?, at point: ResumePoint) {
    resumption.anchorToFind = point.anchorOffset.flatMap { offset in position.anchor.namedAnchor.map { ($0, offset) } }
    flow.goOn(at: point.sequence)
    resumption.window = point.window
    guard let parked else { return }
    var query = parked.requested.query
    query.collapsed = requested.query.collapsed
    guard parked.tableName == tableName, parked.isRestricted == isRestricted, query == requested.query,
      !parked.position.wantsWindow
    else { return }
    flow.resume(from: parked.flow, at: point.sequence)
    guard base != nil else { return }
    resumption.previousView = parked.resumption.previousView
    (resumption.isAnswerPending, resumption.window) = (true, nil)
    position.keepWindow()
  }

  /// Ignores the reported window unless the table has its generation; `nil` for a windowed table.
  func checkReport(generation: Int?) { if resumption.window?.generation != generation { resumption.window = nil } }

  /// Takes the reported window as the base, if there is one.
  ///
  /// Otherwise discards the resumed window if its section numbers or row ids may have changed.
  /// Section numbers are valid only within one view, and so are row ids of a windowed source.
  private func checkResumed() {
    if let view, let window = resumption.window.take() {
      guard let base = window.base(in: view) else { return }
      flow.take(base)
      (resumption.isAnswerPending, resumption.isBaseReported, resumption.previousView) = (true, true, view)
      return position.keepWindow()
    }
    guard resumption.isAnswerPending, let view, view.isGrouped || !view.holdsAllRows, view !== resumption.previousView
    else { return }
    discardWindow()
  }

  /// Discards the window, so that no patch is based on it.
  private func discardWindow() {
    flow.discardBase()
    position.needWindow()
  }

  // MARK: Its table

  /// Shows a view.
  func show(_ view: any QueryView) {
    self.view = view
    statistics.countedChanges = view.table.noticedChanges
  }

  /// Leaves the view, and returns the session's statistics, which begin again.
  func leaveView() -> EngineCounters {
    view = nil
    if prefetchTargetsState == .listed { prefetchTargetsState = .changed }
    defer { statistics.counters = EngineCounters() }
    return statistics.counters
  }

  /// Adopts the collapsed sections of the query.
  ///
  /// - Parameter columns: The types of the columns by which the query groups.
  func adoptCollapsed(_ columns: [ColumnType]) {
    collapsed = Set(requested.query.collapsed.compactMap { sectionPath($0, of: columns) })
    requested.isIdle = false
  }

  /// Records that the last request was refused with no earlier query to restore.
  func becomeIdle() { requested.isIdle = true }

  /// Limits the window to a number of items.
  func limitWindow(to count: Int) { position.anchor.greatestWindow = count }

  /// Schedules the next patch without waiting for the throttle.
  func flushAtOnce() { pacing.wantsFlush = true }

  /// Records that the source's status has changed.
  func noteStatus() { isStatusPending = true }

  /// Returns whether the source's status is due, and records that it is sent.
  func takeStatus() -> Bool {
    guard isStatusPending, !isQuiet else { return false }
    isStatusPending = false
    return true
  }

  /// Whether the displayed rows may have changed since ``prefetchTargets`` was last read.
  var hasNewPrefetchTargets: Bool { prefetchTargetsState != .current }

  /// Whether the session is in its table's list of sessions with new targets.
  var isListedForPrefetch: Bool { prefetchTargetsState == .listed }

  /// Records that the displayed rows may have changed.
  func notePrefetchTargets() { if prefetchTargetsState == .current { prefetchTargetsState = .changed } }

  /// Returns whether the session must be added to its table's list, and records that it is.
  func takeListing() -> Bool {
    guard prefetchTargetsState == .changed else { return false }
    prefetchTargetsState = .listed
    return true
  }

  /// Records that ``prefetchTargets`` was read.
  func clearPrefetchTargets() { prefetchTargetsState = .current }

  // MARK: When it is due

  var isHidden: Bool { attention.isHidden }

  /// Whether the client gets no patches because it is hidden or paused.
  var isQuiet: Bool { attention.isQuiet }

  /// Whether the row order is held.
  var isHeld: Bool { attention.isHeld }

  /// Whether a patch can be sent.
  private var isReady: Bool { attention.takesPatches && flow.isReady && view?.awaitsSource == false }

  /// Returns the time at which the session is next due, or `nil` if it waits for another event.
  ///
  /// - Parameter tick: The tick of the session's flush interval.
  func deadline(inStepWith tick: Instant?) -> Instant? {
    if isStatusPending && !isQuiet { return .zero }
    if let pause = attention.pause, view != nil, !isHidden, !isReady { return pause.throttle.deadline }
    guard isReady else { return nil }
    if pacing.wantsFlush { return .zero }
    return [pacing.throttle.deadline(inStepWith: tick), attention.hold?.deadline].compactMap(\.self).min()
  }

  /// Moves future times back to `now` if the clock went back.
  func follow(_ now: Instant) {
    pacing.throttle.follow(now)
    attention.follow(now)
  }

  /// Whether the session needs notice of the next change; it is `false` if one is already recorded.
  var awaitsChange: Bool {
    guard !isHidden, view != nil else { return false }
    return !(attention.pause?.throttle ?? pacing.throttle).isWaiting
  }

  /// Adds the table's changes since the last call.
  func countChanges() {
    guard let changes = view?.table.noticedChanges else { return }
    statistics.counters.changes += changes - statistics.countedChanges
    statistics.countedChanges = changes
  }

  /// Records that the table has changed.
  ///
  /// A hidden client gets all such changes in one patch later; a paused one gets a count.
  func noteChange(at now: Instant) {
    guard !isHidden else { return }
    if attention.pause == nil { pacing.throttle.noteChange(at: now) }
    attention.pause?.throttle.noteChange(at: now)
  }

  /// Returns whether a flush may be due, judged before the view has caught up.
  ///
  /// An expired hold ends here.
  func mayBeDue(at now: Instant, _ ticks: Ticks) -> Bool {
    guard isReady else { return false }
    if attention.hold?.isOver(at: now) == true { endHold() }
    return pacing.wantsFlush || pacing.throttle.isDue(at: now, inStepWith: ticks[pacing.throttle.interval])
  }

  /// Returns whether a paused client may be due a report of waiting changes.
  func mayReportWaiting(at now: Instant) -> Bool { !isHidden && attention.pause?.throttle.isDue(at: now) == true }

  /// Takes a flush from the throttle and returns whether a patch is due.
  func takeDue(at now: Instant, _ ticks: inout Ticks) -> Bool {
    guard isReady, canLook() else { return false }
    // A direct flush bypasses the throttle: it neither counts as a throttled flush nor cancels one.
    if pacing.wantsFlush {
      statistics.counters.directFlushes += 1
      return true
    }
    let interval = pacing.throttle.interval
    guard pacing.throttle.takeFlush(at: now, inStepWith: ticks[interval]) else { return false }
    statistics.counters.throttledFlushes += 1
    ticks.noteFlush(of: interval, at: now)
    return true
  }

  /// Returns whether the view can show the rows of the session's window.
  ///
  /// A view under construction shows only its first items, and only for a first window. Otherwise
  /// the position of the scroll anchor is unknown until the order is complete. The same holds for
  /// the newer rows of a paused client.
  private func canLook() -> Bool {
    guard let folded, folded.view.build != nil else { return true }
    guard attention.pause == nil, position.wantsWindow, base == nil || position.awaitsWindow,
      resumption.anchorToFind == nil, let found = folded.selectFirstItems()
    else { return false }
    // Compute the position after placement: a client that sticks to the end moves there first.
    var placed = position.anchor
    _ = placed.follow(folded, since: nil)
    return placed.window(of: folded.itemCount).upperBound <= found
  }

  // MARK: What the client sends

  /// Starts another query; its window begins at the viewport's position, or at the top.
  func ask(_ query: QueryRequest, request: UInt64, viewport: Viewport?, limits: Limits) {
    noteGood()
    requested.request = request
    requested.query = query
    setPaused(false)  // a user who changes the query wants to see its rows
    attention.hold = nil
    position.begin(at: viewport, limits: limits)
    resumption.end()
    flushAtOnce()
  }

  /// Collapses or expands a section of a table that does not exist yet.
  func setCollapsedInQuery(_ isCollapsed: Bool, _ path: [Cell]) {
    requested.query.collapsed.removeAll { $0 == path }
    if isCollapsed { requested.query.collapsed.append(path) }
  }

  /// Collapses or expands a section.
  func setCollapsed(_ isCollapsed: Bool, _ path: [Cell]) {
    guard collapsed.contains(path) != isCollapsed else { return }
    if isCollapsed { collapsed.insert(path) } else { collapsed.remove(path) }
    attention.awaitsItems = true
    flushAtOnce()
  }

  /// Moves the viewport.
  func scroll(to viewport: Viewport, limits: Limits) {
    flushAtOnce()
    notePrefetchTargets()
    let isBehind = viewport.sequence < flow.sequence
    let previous = position.anchor.first
    guard position.scroll(to: viewport, isBehind: isBehind, limits: limits) else {
      // The viewport refers to the previous query, which is restored if this one is refused.
      _ = requested.good?.position.scroll(to: viewport, isBehind: isBehind, limits: limits)
      return
    }
    // Scrolling changes the offset of the anchor to find by the same amount.
    resumption.anchorToFind?.offset -= position.anchor.first - previous
    // A hold continues while all visible rows are in the window; other rows need the current order.
    guard let base, !holdsAll(of: base) else { return }
    release()
    attention.pause?.lacksRows = true
  }

  /// Returns whether all visible items are in the window.
  private func holdsAll(of base: WindowState) -> Bool {
    (base.start..<base.start + base.items.count).contains(position.anchor.visible(of: base.total))
  }

  /// Returns whether visible rows were still loading when the window was cut.
  private func awaitsRows(of base: WindowState) -> Bool {
    let held = base.start..<base.start + base.items.count
    return position.anchor.visible(of: base.total).clamped(to: held).contains { position in
      guard case .row(let row) = base.items[position - base.start] else { return false }
      return row.absence != nil
    }
  }

  /// Holds the row order for a time while the user points, selects or edits.
  ///
  /// Has no effect while the client gets no patches or waits for a window.
  func holdOrder(for length: Duration, at now: Instant) {
    guard base != nil, view != nil, position.progress == .held, !isQuiet, !resumption.isBaseReported else { return }
    attention.hold = Hold(at: now, length: length)
  }

  /// Ends the hold at the user's request; waiting changes are sent at once.
  func endHold() { if attention.hold != nil { release() } }

  /// Ends the hold because the client requested items outside the held order.
  ///
  /// They are sent at once.
  func release() {
    attention.release()
    flushAtOnce()
  }

  /// Records that the client applied the patch in flight; late acknowledgements are ignored.
  func acknowledge(_ sequence: UInt64, at now: Instant) {
    guard let delay = flow.acknowledge(sequence, at: now) else { return }
    position.acknowledge()
    requested.good?.position.acknowledge()
    pacing.adapt { $0.noteAcknowledgement(after: delay) }
  }

  /// Records that the client's socket has room again.
  func noteWritable() { flow.noteWritable() }

  /// Schedules a whole window because the client could not apply the patch in flight.
  ///
  /// The client has not followed its scroll anchor; the window carries the shift.
  func resync() {
    attention.pause?.lacksRows = true
    attention.hold = nil
    flow.reject()
    requested.good?.position.needWindow()
    position.needWindow()
    flushAtOnce()
  }

  /// Sets the flush interval requested by the client.
  func setInterval(_ interval: Duration) { pacing.adapt { $0.request(interval) } }

  /// Hides or shows the client; a hidden one gets nothing, and one patch on its return.
  func setHidden(_ isHidden: Bool, at now: Instant) {
    guard isHidden != self.isHidden else { return }
    attention.isHidden = isHidden
    notePrefetchTargets()
    guard !isHidden else {
      attention.hold = nil
      return pacing.throttle.cancel()
    }
    release()
    attention.pause?.throttle.noteChange(at: now)
  }

  /// Pauses or resumes the client; a paused one gets only change counts, and one patch on resuming.
  func setPaused(_ isPaused: Bool) {
    guard isPaused != (attention.pause != nil) else { return }
    guard isPaused else {
      if let view { attention.pause?.end(on: view) }
      attention.pause = nil
      return release()
    }
    attention.hold = nil
    pacing.throttle.cancel()
    var pause = Pause()
    if let view { pause.begin(on: view) }
    // Rows requested just before the pause are still sent.
    pause.lacksRows = position.wantsWindow || base.map { !holdsAll(of: $0) } ?? true
    attention.pause = pause
    if pause.lacksRows { flushAtOnce() }
  }

  /// Returns the report that is due for a paused client, if any.
  func takeWaiting(at now: Instant) -> Waiting? {
    guard !isHidden, let view else { return nil }
    // Blocks loaded during the pause replace their placeholders.
    if mayReportWaiting(at: now), let base, awaitsRows(of: base) {
      attention.pause?.lacksRows = true
      flushAtOnce()
    }
    return attention.pause?.takeDue(of: view, at: now)
  }

  // MARK: Patches

  /// Cuts a patch from the last window to the current rows, or returns `nil` if they are equal.
  func cut(
    at now: Instant, limits: Limits, shared: inout [CutKey: Cutter.Result], windows: inout SharedWindows
  ) -> (patch: Patch, shift: Int)? {
    guard let folded else { return nil }
    notePrefetchTargets()
    folded.view.catchUp()
    guard canLook() else {
      // So much changed that the view is being rebuilt.
      flushAtOnce()
      return nil
    }
    let (cutter, shift) = isHeld ? heldCutter(folded, limits, &shared) : followingCutter(folded, limits)
    let key = CutKey(cutter)
    let result: Cutter.Result
    if let known = shared[key] {
      result = known
      statistics.counters.sharedCuts += 1
    } else {
      result = cutter.cut()
      shared[key] = result
      statistics.counters.cuts += 1
    }
    pacing.wantsFlush = !result.isComplete
    if !isHeld { attention.awaitsItems = !result.isComplete }
    attention.pause?.lacksRows = !result.isComplete
    // An empty patch is sent only to move the client to its anchor or to answer a resume.
    guard !result.isEmpty || shift != 0 || resumption.isAnswerPending else { return nil }
    let patch = result.patch
    let (pool, previous) = (patch.result.pool, cutter.base?.pool)
    statistics.counters.headersMade += UInt64(pool.made - (previous?.made ?? 0))
    statistics.counters.headersReused += UInt64(pool.reused - (previous?.reused ?? 0))
    let window = result.isComplete ? windows.share(patch.result, of: folded) : patch.result
    flow.send(window, isOfSameQuery: position.progress == .held, at: now)
    position.noteSent(shift: shift)
    resumption.end()
    return (patch, shift)
  }

  /// Returns a cutter that cuts to the current order, and moves the viewport along.
  private func followingCutter(_ folded: FoldedView, _ limits: Limits) -> (Cutter, shift: Int) {
    // A window of another query says nothing about positions in this one.
    let isReported = resumption.isBaseReported
    let anchor = position.wantsWindow || isReported ? resumption.anchorToFind : nil
    let found = anchor.map { position.anchor.find($0.row, offset: $0.offset, in: folded) } ?? 0
    let followed = position.anchor.follow(folded, since: position.awaitsWindow || isReported ? nil : base)
    return (cutter(folded, position.anchor, budget: limits.patchBytes), position.shiftOnItsWay + found + followed)
  }

  /// Returns a cutter that keeps the held order, and counts the moves that the hold delays.
  private func heldCutter(
    _ folded: FoldedView, _ limits: Limits, _ shared: inout [CutKey: Cutter.Result]
  ) -> (Cutter, shift: Int) {
    guard let base else { preconditionFailure("a hold needs the order that it keeps") }
    var wouldBe = position.anchor
    _ = wouldBe.follow(folded, since: base)
    let free = cutter(folded, wouldBe, budget: .max)
    let key = CutKey(free)
    let result = shared[key] ?? free.cut()
    shared[key] = result
    let anchor = position.anchor
    var held = Cutter(
      folded: folded, base: base, range: base.start..<base.start + base.items.count,
      visible: anchor.visible(of: base.total), isTravellingUp: anchor.isTravellingUp, budget: limits.patchBytes)
    held.waitingMoves = result.patch.moves
    return (held, position.shiftOnItsWay)
  }

  private func cutter(_ folded: FoldedView, _ anchor: ScrollAnchor, budget: Int) -> Cutter {
    Cutter(
      folded: folded, base: position.wantsWindow ? nil : base, range: anchor.window(of: folded.itemCount),
      visible: anchor.visible(of: folded.itemCount), isTravellingUp: anchor.isTravellingUp, budget: budget)
  }
}

extension Session {
  /// A query that succeeded, with the client's position in it.
  struct Good {
    let request: UInt64
    let query: QueryRequest
    fileprivate weak var view: (any QueryView)?
    fileprivate var position: ViewportPosition
  }

  /// Remembers the current query, to restore it if the next one is refused.
  private func noteGood() {
    guard let view else { return }
    var query = requested.query
    query.collapsed = Array(collapsed)
    requested.good = Good(request: requested.request, query: query, view: view, position: position)
  }

  /// Removes and returns the last query that succeeded, if any.
  func takeGood() -> Good? { requested.good.take() }

  /// Restores an earlier query.
  func goBack(to good: Good) {
    (requested.request, requested.query, position) = (good.request, good.query, good.position)
    flushAtOnce()
  }

  /// Discards the window if another view now shows the same query.
  ///
  /// Section numbers and the row ids of a windowed source differ between views.
  func checkWindow(of good: Good) {
    guard view == nil || view !== good.view else { return }
    discardWindow()
    flushAtOnce()
  }

  /// Discards the window because there is nothing to show.
  func forgetWindow() {
    flow.discardAll()
    position.needFirstWindow(holdsAnother: flow.sequence > 0)
    flushAtOnce()
  }
}
