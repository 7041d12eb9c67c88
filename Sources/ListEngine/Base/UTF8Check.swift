/// Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7).
///
/// - Complexity: O(bytes), eight at a time for ASCII.
@inline(__always) func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let base = bytes.baseAddress else { return true }
  var offset = 0
  while offset + 8 <= bytes.count {
    guard base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { break }
    offset += 8
  }
  while offset < bytes.count && bytes[offset] < 0x80 { offset += 1 }
  return offset == bytes.count || isUTF8Slowly(bytes, from: offset)
}

private func isUTF8Slowly(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
  var offset = start
  while offset < bytes.count {
    let lead = bytes[offset]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0x00...0x7F: length = 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xE1...0xEC, 0xEE...0xEF: length = 3
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return false
    }
    guard offset + length <= bytes.count else { return false }
    if length > 1 && !second.contains(bytes[offset + 1]) { return false }
    for next in 2..<max(2, length) where bytes[offset + next] & 0xC0 != 0x80 { return false }
    offset += length
  }
  return true
}
