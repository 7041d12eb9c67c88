/// What an image is, by how its bytes begin: whatever else somebody says it is.
package enum ImageKind: String {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case webp = "image/webp"
  case gif = "image/gif"

  /// How large an image may be.
  package static let greatestByteCount = 524_288

  /// `nil` for what a page is never given.
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
