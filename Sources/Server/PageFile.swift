/// One file of the page, as it is sent.
struct PageFile: Sendable {
  var contentType: String
  var bytes: [UInt8]
  /// Changes with the content, so that a browser asks again after a restart with new files.
  var tag: String
  /// Whether the address by which it was asked for means these bytes for ever.
  var isLasting = false

  init(contentType: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.bytes = bytes
    tag = "\"\(String(Self.hash(bytes), radix: 16))-\(bytes.count)\""
  }

  /// FNV-1a: it tells versions apart, and guards nothing.
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
