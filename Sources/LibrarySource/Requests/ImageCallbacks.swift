import CListPlugin

/// The image loader of a shared library.
package struct ImageCallbacks {
  /// The function that loads one image.
  typealias Load = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<list_image>?) -> Void
  /// The function that cancels image requests.
  typealias Cancel = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt64>?, UInt32) -> Void

  /// The prefix of the reason when an image is too large for clients.
  package static let tooLarge = "it is too large: "

  var load: Load
  var cancel: Cancel?
}
