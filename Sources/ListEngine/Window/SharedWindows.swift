/// The windows cut in one turn, deduplicated.
///
/// Clients with equal windows then hold one object, whatever they held before, and share the next
/// patch. Windows of grouped views are shared only if their headers are in the same slots. Windows
/// with a held order are not shared.
struct SharedWindows {
  private struct Key: Hashable {
    let folded: ObjectIdentifier
    let start: Int
    let count: Int
  }

  private var windows: [Key: WindowState] = [:]

  /// Returns the shared window equal to this one, which must be complete and current.
  mutating func share(_ window: WindowState, of folded: FoldedView) -> WindowState {
    guard folded.view.holdsAllRows, window.held == nil else { return window }
    let key = Key(folded: ObjectIdentifier(folded), start: window.start, count: window.items.count)
    let shared = windows[key] ?? window
    precondition(shared.digest == window.digest, "two windows from \(window.start) differ at one moment")
    windows[key] = shared
    guard !folded.view.isGrouped || hasEqualHeaders(shared, window) else { return window }
    return shared
  }

  /// Returns whether both windows show the same sections in the same header slots.
  ///
  /// The slots depend on the patches that each client has received.
  private func hasEqualHeaders(_ one: WindowState, _ other: WindowState) -> Bool {
    guard one.pool == other.pool, one.lead == other.lead else { return false }
    return zip(one.items, other.items).allSatisfy { one, other in
      guard case .header(let one) = one, case .header(let other) = other else { return true }
      return one == other
    }
  }
}
