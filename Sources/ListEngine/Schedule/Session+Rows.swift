/// The rows and sections that the client holds.
extension Session {
  /// The request that the client's rows answer, or `nil` if it has none.
  var shownRequest: UInt64? { requested.isIdle ? nil : requested.request }

  /// Whether the client holds only rows of its view, under the view's row ids.
  var holdsRowsOfView: Bool {
    base != nil && !position.awaitsWindow && (flow.sentAt == nil || flow.previousBase != nil)
  }

  /// Returns the path of the section that the client knows by this number.
  func path(ofSection number: UInt32) -> [Cell]? {
    // Sections of another query, or of a window from before a reconnect, have other numbers.
    guard !position.awaitsWindow, let base else { return nil }
    return base.path(of: number) ?? view?.section(numbered: number)?.path
  }

  /// The rows of the last window at the present viewport, ordered by urgency.
  ///
  /// Visible rows come first, then those ahead, then those behind, each from near to far. Rows
  /// outside the present window are left out; rows newly scrolled to come with the next patch. The
  /// result is empty while the client is hidden or waits for another query's window.
  var prefetchTargets: [(row: RowID, zone: PrefetchQueue<DeferredItem>.Zone, distance: Int)] {
    guard let base, !isHidden, position.progress != .firstDue else { return [] }
    let held = base.start..<base.start + base.items.count
    let window = position.anchor.window(of: base.total).clamped(to: held)
    let visible = position.anchor.visible(of: base.total).clamped(to: window)
    let (above, below) = (window.lowerBound..<visible.lowerBound, visible.upperBound..<window.upperBound)
    var rows: [(row: RowID, zone: PrefetchQueue<DeferredItem>.Zone, distance: Int)] = []
    func add(_ range: Range<Int>, _ zone: PrefetchQueue<DeferredItem>.Zone, isUp: Bool) {
      for distance in 0..<range.count {
        let position = isUp ? range.upperBound - 1 - distance : range.lowerBound + distance
        guard case .row(let row) = base.items[position - base.start] else { continue }
        rows.append((row.id, zone, distance))
      }
    }
    let isUp = position.anchor.isTravellingUp
    add(visible, .visible, isUp: isUp)
    add(isUp ? above : below, .leading, isUp: isUp)
    add(isUp ? below : above, .trailing, isUp: !isUp)
    return rows
  }

  var displayed: DisplayedRanges? {
    guard let folded, !isHidden else { return nil }
    // During a hold, look at the range that will be displayed once the hold ends.
    var anchor = scrollAnchor
    if isHeld { _ = anchor.follow(folded, since: base) }
    var displayed = DisplayedRanges(anchor, in: folded)
    if isHeld, let base, anchor.stick != nil {
      anchor = scrollAnchor
      anchor.leaveEdge()
      let start = base.start + anchor.follow(folded, since: base)
      displayed.held = (start..<start + base.items.count).clamped(to: 0..<folded.itemCount)
    }
    return displayed
  }

  /// Returns the indices of the window's rows that were changed or inserted since the pause.
  ///
  /// The result is empty if the client is not paused.
  func newerRows(of window: WindowState) -> [Int] {
    guard let pause = attention.pause, let view else { return [] }
    return window.items.indices.filter { index in
      guard case .row(let row) = window.items[index], let slot = view.table.slot(of: row.id) else { return false }
      return pause.isNewer(slot, in: view)
    }
  }
}
