/// Whether a user sees changes as they come: hidden, paused, or with the row order held.
struct Attention {
  var isHidden = false
  /// The pause, while the client is paused.
  var pause: Pause?
  /// The hold on the row order, while the user has one.
  var hold: Hold?
  /// Whether the client requested items other than those it holds.
  ///
  /// The answer is sent before a hold begins, because the hold would block it.
  var awaitsItems = true

  /// Whether the client gets no patches because it is hidden or paused.
  var isQuiet: Bool { isHidden || pause != nil }

  /// Whether patches are sent: the client must be visible, and a paused one must lack rows.
  var takesPatches: Bool { !isHidden && pause?.lacksRows ?? true }

  /// Whether the row order is held.
  var isHeld: Bool { hold != nil && !awaitsItems }

  /// Moves future times back to `now` if the clock went back.
  mutating func follow(_ now: Instant) {
    pause?.throttle.follow(now)
    hold?.follow(now)
  }

  /// Ends a hold; the items that it has delayed are sent.
  mutating func release() { (hold, awaitsItems) = (nil, true) }
}
