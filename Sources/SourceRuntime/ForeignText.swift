import Glibc

/// Reads NUL-terminated strings from a plugin.
///
/// Every read is bounded, because the terminating NUL may be missing.
package enum ForeignText {
  /// The maximum length of a name in bytes.
  package static let nameLimit = 255
  /// The maximum length of a message in bytes.
  ///
  /// Longer messages are truncated.
  package static let messageLimit = 4_096

  /// Returns a name, or nil when it is NULL, empty, too long or invalid UTF-8.
  package static func name(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    let length = strnlen(pointer, nameLimit + 1)
    guard length > 0, length <= nameLimit else { return nil }
    return String(validating: bytes(pointer, length), as: UTF8.self)
  }

  /// Returns an optional name: "" when it is NULL, nil when it is too long or invalid UTF-8.
  package static func optionalName(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer, pointer.pointee != 0 else { return "" }
    return name(pointer)
  }

  /// Returns a human-readable message, with invalid UTF-8 repaired and excess length cut off.
  package static func message(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer else { return "" }
    return cut(bytes(pointer, strnlen(pointer, messageLimit)), messageLimit)
  }

  /// The maximum length of a reason or a result, in bytes of UTF-8.
  static let reasonLimit = 1_000

  /// Truncates a text to `limit` bytes of UTF-8, at a character boundary.
  package static func cut(_ text: String, _ limit: Int = reasonLimit) -> String {
    guard text.utf8.count > limit else { return text }
    var bytes = Array(text.utf8.prefix(limit + 1))
    // Drop the bytes of the character that does not fit.
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes bytes and truncates them to `limit` bytes of UTF-8, repairing invalid sequences.
  ///
  /// Reads at most four bytes beyond the limit.
  package static func cut(_ bytes: UnsafeRawBufferPointer, _ limit: Int = reasonLimit) -> String {
    // Include the whole character that crosses the limit.
    cut(String(decoding: UnsafeRawBufferPointer(rebasing: bytes.prefix(limit + 4)), as: UTF8.self), limit)
  }

  private static func bytes(_ pointer: UnsafePointer<CChar>, _ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer, count: length)
  }
}
