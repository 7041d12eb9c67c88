/// Windows that were cut in one turn: pages that hold the same from then on hold one object, whatever they held before, and share the next
/// patch.
///
/// Where the view groups, only if their headers lie in the same slots, too; and not while the order is held.
struct SharedWindows {
  private struct Key: Hashable {
    let folded: ObjectIdentifier
    let start: Int
    let count: Int
  }

  private var windows: [Key: WindowState] = [:]

  /// The window that stands for this one, which holds all that is true of its range at this moment.
  mutating func share(_ window: WindowState, of folded: FoldedView) -> WindowState {
    guard folded.view is ListView, window.held == nil else { return window }
    let key = Key(folded: ObjectIdentifier(folded), start: window.start, count: window.items.count)
    let shared = windows[key] ?? window
    precondition(shared.digest == window.digest, "two windows from \(window.start) differ at one moment")
    windows[key] = shared
    guard !folded.view.isGrouped || hasEqualHeaders(shared, window) else { return window }
    return shared
  }

  /// Which slot shows which section is what each page has made of it.
  private func hasEqualHeaders(_ one: WindowState, _ other: WindowState) -> Bool {
    guard one.pool == other.pool, one.lead == other.lead else { return false }
    return zip(one.items, other.items).allSatisfy { one, other in
      guard case .header(let one) = one, case .header(let other) = other else { return true }
      return one == other
    }
  }
}
