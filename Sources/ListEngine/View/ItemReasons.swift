/// The reason why an item left the window.
public enum RemovalReason: String, Sendable {
  /// The item left the view.
  case gone
  /// The item moved elsewhere in the view because of its own change.
  case moved
  /// The window moved away from the item.
  case scrolled
}

/// The reason why an item entered the window.
public enum InsertionReason: String, Sendable {
  /// The item is new in the view.
  case new
  /// The item moved from elsewhere in the view because of its own change.
  case moved
  /// The window moved to the item.
  case scrolled
}
