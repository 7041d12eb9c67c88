/// Windows that were cut in one turn: pages that hold the same from then on hold one object, whatever they held before, and share the next
/// patch.
///
/// Not where the view groups: whose headers lie in which slots is each page's own affair. Nor while the order is held.
struct SharedWindows {
  private struct Key: Hashable {
    let folded: ObjectIdentifier
    let start: Int
    let count: Int
  }

  private var windows: [Key: WindowState] = [:]

  /// The window that stands for this one, which holds all that is true of its range at this moment.
  mutating func share(_ window: WindowState, of folded: FoldedView) -> WindowState {
    guard folded.view is ListView, !folded.view.isGrouped, window.held == nil else { return window }
    let key = Key(folded: ObjectIdentifier(folded), start: window.start, count: window.items.count)
    let shared = windows[key] ?? window
    precondition(shared.digest == window.digest, "two windows from \(window.start) differ at one moment")
    windows[key] = shared
    return shared
  }
}
