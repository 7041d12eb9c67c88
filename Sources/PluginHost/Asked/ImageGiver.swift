import CListPlugin

/// Who gives the bytes of a shared library's images.
struct ImageGiver {
  /// Is told one wish.
  typealias Load = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<list_image>?) -> Void
  /// Is told that nobody waits for these any more.
  typealias Cancel = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt64>?, UInt32) -> Void

  /// How the reason begins when what was given is no image that a page would be shown.
  static let tooLarge = "it is too large: "

  var load: Load
  var cancel: Cancel?
}
