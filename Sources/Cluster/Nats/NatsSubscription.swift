import CNats
import Glibc
import ListEngine

/// A subscription that one thread reads.
final class NatsSubscription {
  private let subscription: OpaquePointer
  private let isStored: Bool
  /// The subscription must not outlive its connection.
  private let link: NatsLink

  init(_ subscription: OpaquePointer, of link: NatsLink, isStored: Bool) {
    self.subscription = subscription
    self.link = link
    self.isStored = isStored
  }

  deinit {
    // Deletes the consumer of the server, too, if there is one.
    natsSubscription_Unsubscribe(subscription)
    natsSubscription_Destroy(subscription)
  }

  /// Whether no message comes any more.
  var hasEnded: Bool { link.isClosed || !natsSubscription_IsValid(subscription) }

  /// Waits for the next message; `nil` after the time, or if the subscription has failed.
  func next(within patience: Duration) -> NatsMessage? {
    var message: OpaquePointer?
    let milliseconds = max(1, patience.nanoseconds / 1_000_000)
    let status = natsSubscription_NextMsg(&message, subscription, milliseconds)
    guard status == NATS_OK, let message else {
      // A failure is returned at once, and callers wait in a loop.
      if status != NATS_TIMEOUT { usleep(UInt32(clamping: min(100, milliseconds) * 1_000)) }
      return nil
    }
    return NatsMessage(taking: message, isStored: isStored)
  }
}
