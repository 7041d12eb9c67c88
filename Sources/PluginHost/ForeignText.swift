import Glibc

/// Reads texts that end in NUL and come from a plugin: never further than a limit, so that a missing NUL does little harm.
enum ForeignText {
  /// The longest name.
  static let nameLimit = 255
  /// The longest message; the rest is cut off.
  static let messageLimit = 4_096

  /// A name: nil when it is NULL, empty, too long or not UTF-8.
  static func name(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    let length = strnlen(pointer, nameLimit + 1)
    guard length > 0, length <= nameLimit else { return nil }
    return String(validating: bytes(pointer, length), as: UTF8.self)
  }

  /// A name that may be left out: "" when it is NULL, nil when it is too long or not UTF-8.
  static func optionalName(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer, pointer.pointee != 0 else { return "" }
    return name(pointer)
  }

  /// A message for people: mended and cut rather than refused.
  static func message(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer else { return "" }
    return cut(bytes(pointer, strnlen(pointer, messageLimit)), messageLimit)
  }

  /// The longest reason and result, in bytes of UTF-8.
  static let reasonLimit = 1_000

  /// A text of at most so many bytes of UTF-8; a longer one ends with a whole character before the limit.
  static func cut(_ text: String, _ limit: Int = reasonLimit) -> String {
    guard text.utf8.count > limit else { return text }
    var bytes = Array(text.utf8.prefix(limit + 1))
    // Back to the beginning of the character that does not fit.
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Does the same with bytes, of which not more is read; those that are no UTF-8 are mended.
  static func cut(_ bytes: UnsafeRawBufferPointer, _ limit: Int = reasonLimit) -> String {
    // The whole of a character that the limit would cut.
    cut(String(decoding: UnsafeRawBufferPointer(rebasing: bytes.prefix(limit + 4)), as: UTF8.self), limit)
  }

  private static func bytes(_ pointer: UnsafePointer<CChar>, _ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer, count: length)
  }
}
