/// A wish for an image, as the host numbers it.
struct ImageWish: Sendable {
  var id: UInt64
  var key: String
}
