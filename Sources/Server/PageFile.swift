/// One file of the page, as it is sent.
struct PageFile: Sendable {
  var contentType: String
  var bytes: [UInt8]
  /// Changes with the content, so that a browser asks again after a restart with new files.
  var tag: String

  init(contentType: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.bytes = bytes
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a: it tells versions apart, and guards nothing
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    tag = "\"\(String(hash, radix: 16))-\(bytes.count)\""
  }
}
