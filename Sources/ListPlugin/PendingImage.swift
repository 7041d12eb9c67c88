/// A request for an image, with the host's id.
struct PendingImage: Sendable {
  var id: UInt64
  var key: String
}
