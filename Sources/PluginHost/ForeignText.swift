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
    return String(decoding: bytes(pointer, strnlen(pointer, messageLimit)), as: UTF8.self)
  }

  private static func bytes(_ pointer: UnsafePointer<CChar>, _ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer, count: length)
  }
}
