/// A wish for an image, as the host numbers it.
struct PendingImage: Sendable {
  var id: UInt64
  var key: String
}
