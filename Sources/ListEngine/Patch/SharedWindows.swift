/// The windows of a view that pages hold now, so that equal ones are one object.
///
/// Pages that came at different moments have windows that were cut one by one. What leads on from a window is cut and encoded once for all
/// pages that hold it: so as soon as two of them hold the same, they must hold one and the same.
struct SharedWindows {
  private struct Entry {
    weak var window: WindowState?
  }

  /// The last window at each place.
  private var windows: [Range<Int>: Entry] = [:]
  private var sweepAt = SharedWindows.leastSweep

  private static let leastSweep = 64

  /// How many places are remembered.
  var count: Int { windows.count }

  /// The window that stands for this one: an equal one that a page holds, or itself.
  ///
  /// - Complexity: O(window).
  mutating func shared(_ window: WindowState) -> WindowState {
    let place = window.start..<window.start + window.items.count
    if let known = windows[place]?.window, known.equals(window) { return known }
    windows[place] = Entry(window: window)
    if windows.count > sweepAt {
      windows = windows.filter { $0.value.window != nil }
      sweepAt = max(Self.leastSweep, windows.count * 2)
    }
    return window
  }
}

extension WindowState {
  /// Whether everything that follows from this window follows from the other one, too.
  func equals(_ other: WindowState) -> Bool {
    guard digest == other.digest, start == other.start, total == other.total, rows == other.rows,
      accuracy == other.accuracy, commit == other.commit, relabelings == other.relabelings,
      items.count == other.items.count, held == nil, other.held == nil, totals == other.totals, lead == other.lead,
      pool == other.pool
    else { return false }
    return zip(items, other.items).allSatisfy { one, other in
      switch (one, other) {
      // Equal revisions of a row are one object as long as someone holds it.
      case (.row(let one), .row(let other)): one === other
      case (.header(let one), .header(let other)): one == other
      default: false
      }
    }
  }
}
