/// An image format, recognized by its signature rather than by a declared type.
package enum ImageKind: String {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case webp = "image/webp"
  case gif = "image/gif"

  /// The size limit of an image, in bytes.
  package static let greatestByteCount = 524_288

  /// Recognizes the format of `bytes`; returns `nil` for formats that are never served.
  package init?(of bytes: [UInt8]) {
    func begins(_ head: [UInt8], at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: head) }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
      self = .gif
    } else {
      return nil
    }
  }
}
