/// One file of the page, as served.
struct PageFile: Sendable {
  var contentType: String
  var bytes: [UInt8]
  /// The entity tag, derived from the content.
  var tag: String
  /// Whether the requested URL identifies this content permanently.
  var isLasting = false

  init(contentType: String, bytes: [UInt8]) {
    self.contentType = contentType
    self.bytes = bytes
    tag = "\"\(String(Self.hash(bytes), radix: 16))-\(bytes.count)\""
  }

  /// Returns the FNV-1a hash, which distinguishes versions but is not secure.
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
