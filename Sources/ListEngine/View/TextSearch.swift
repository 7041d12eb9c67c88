/// Finds a text in others, without regard to case.
struct TextSearch {
  private let needle: [UInt8]

  /// What to look for; finds everything when empty.
  init(_ text: String) { needle = Array(text.lowercased().utf8) }

  /// Whether it finds everything.
  var isEmpty: Bool { needle.isEmpty }

  /// Whether the text is in these bytes.
  ///
  /// ASCII is compared byte by byte; anything else by Unicode's full lower-case mapping.
  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard needle.count <= bytes.count || !bytes.allSatisfy({ $0 < 0x80 }) else { return false }
    var isASCII = true
    var start = 0
    while start < bytes.count {
      if bytes[start] >= 0x80 {
        isASCII = false
        break
      }
      if lowered(bytes[start]) == needle[0] && continues(bytes, from: start) { return true }
      start += 1
    }
    return isASCII ? false : contains(Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8))
  }

  @inline(__always) private func continues(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    guard start + needle.count <= bytes.count else { return false }
    for index in 1..<max(1, needle.count) where lowered(bytes[start + index]) != needle[index] { return false }
    return true
  }

  private func contains(_ bytes: [UInt8]) -> Bool {
    guard needle.count <= bytes.count else { return false }
    return (0...bytes.count - needle.count).contains { bytes[$0..<$0 + needle.count].elementsEqual(needle) }
  }

  @inline(__always) private func lowered(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
