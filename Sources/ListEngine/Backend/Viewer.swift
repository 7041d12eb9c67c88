/// A session, as far as a ``TableBackend`` needs to know it.
protocol Viewer: AnyObject {
  var id: SessionID { get }
  /// The displayed view, or `nil` while there is none.
  var view: (any QueryView)? { get }
  /// Whether the client is hidden and gets nothing.
  var isHidden: Bool { get }
  /// The position of the viewport.
  var scrollAnchor: ScrollAnchor { get }
  /// The displayed ranges, or `nil` if the client is hidden or has no view.
  ///
  /// - Complexity: O(visible) while the order is held, otherwise O(1).
  var displayed: DisplayedRanges? { get }
  /// The rows of the last window at the present viewport, ordered by urgency.
  var prefetchTargets: [(row: RowID, zone: PrefetchQueue<DeferredItem>.Zone, distance: Int)] { get }
  /// Records that the displayed rows may have changed, so that the backend follows the session.
  func notePrefetchTargets()
}

/// The item ranges that a session displays, as the client counts items.
struct DisplayedRanges {
  let folded: FoldedView
  let visible: Range<Int>
  let window: Range<Int>
  let isUp: Bool
  let anchor: RowID?
  let stick: Viewport.Stick?
  /// The number of items that fit the viewport.
  let count: Int
  /// The present range of the rows that the client holds at an edge, if that edge has moved.
  var held: Range<Int>?

  /// Items requested for the same reason, ordered from near to far.
  struct Zone {
    var range: Range<Int>
    var zone: PrefetchQueue<BlockItem>.Zone
    var isUp: Bool
    var isHeld = false
  }

  /// Computes the displayed ranges of a viewport at a scroll anchor.
  init(_ scrollAnchor: ScrollAnchor, in folded: FoldedView) {
    let total = folded.itemCount
    self.folded = folded
    (visible, window) = (scrollAnchor.visible(of: total), scrollAnchor.window(of: total))
    (isUp, anchor, stick) = (scrollAnchor.isTravellingUp, scrollAnchor.anchor, scrollAnchor.stick)
    count = scrollAnchor.count
  }

  /// The held rows, the visible rows, the rows ahead and the rows behind.
  var zones: [Zone] {
    let above = window.lowerBound..<visible.lowerBound
    let below = visible.upperBound..<window.upperBound
    return (held.map { [Zone(range: $0, zone: .visible, isUp: false, isHeld: true)] } ?? []) + [
      Zone(range: visible, zone: .visible, isUp: isUp),
      Zone(range: isUp ? above : below, zone: .leading, isUp: isUp),
      Zone(range: isUp ? below : above, zone: .trailing, isUp: !isUp),
    ]
  }

  /// The scroll anchor's row, followed by all visible items.
  var anchored: [ListView.Item] {
    let own = anchor.flatMap { folded.view.table.slot(of: $0) }.map { [ListView.Item.row($0)] } ?? []
    return own + folded.items(visible)
  }
}
