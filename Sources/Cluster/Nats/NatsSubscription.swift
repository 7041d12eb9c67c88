import CNats
import ListEngine

/// A subscription that one thread reads.
final class NatsSubscription {
  private let subscription: OpaquePointer
  private let isStored: Bool
  /// The subscription must not outlive its connection.
  private let connection: NatsConnection

  init(_ subscription: OpaquePointer, of connection: NatsConnection, isStored: Bool) {
    self.subscription = subscription
    self.connection = connection
    self.isStored = isStored
  }

  deinit {
    // Deletes the consumer of the server, too, if there is one.
    natsSubscription_Unsubscribe(subscription)
    natsSubscription_Destroy(subscription)
  }

  /// Waits for the next message; `nil` after the time, or if the subscription has ended.
  func next(within patience: Duration) -> NatsMessage? {
    var message: OpaquePointer?
    let milliseconds = max(1, patience.nanoseconds / 1_000_000)
    guard natsSubscription_NextMsg(&message, subscription, milliseconds) == NATS_OK, let message else { return nil }
    return NatsMessage(taking: message, isStored: isStored)
  }
}
