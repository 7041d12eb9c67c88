/// Finds a text in others, without regard to case.
///
/// ASCII is compared eight bytes at a time. A text with anything else is brought to lower case by Unicode's full mapping first,
/// in a buffer that is kept, so that looking allocates nothing.
final class TextSearch {
  private let needle: UnsafeRawBufferPointer
  /// The needle's first two bytes, eight times over, in lower case.
  private let first: UInt64
  private let second: UInt64
  /// What makes a letter lower case in the bytes compared with `first` and `second`; 0 where the needle has no letter.
  private let firstCase: UInt64
  private let secondCase: UInt64
  private var lowered: [UInt8] = []

  /// What to look for; finds everything when empty.
  init(_ text: String) {
    let wanted = text.lowercased().utf8
    let needle = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: wanted.count)
    _ = needle.initialize(from: wanted)
    self.needle = UnsafeRawBufferPointer(needle)
    func spread(_ index: Int) -> (byte: UInt64, fold: UInt64) {
      guard index < needle.count else { return (0, 0) }
      let byte = needle[index]
      let ones: UInt64 = 0x0101_0101_0101_0101
      return (UInt64(byte) &* ones, (0x61...0x7A).contains(byte) ? 0x20 &* ones : 0)
    }
    (first, firstCase) = spread(0)
    (second, secondCase) = spread(1)
  }

  deinit { needle.deallocate() }

  /// Whether the text is in these bytes, which are UTF-8.
  ///
  /// - Complexity: O(bytes), as long as the needle's first two bytes are rare.
  func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if needle.isEmpty { return true }
    guard isASCII(bytes) else {
      lower(bytes, atMost: .max)
      return lowered.withUnsafeBytes { find(needle, in: $0) }
    }
    return needle.count <= bytes.count && find(needle, in: bytes)
  }

  /// Whether these bytes, which are UTF-8, begin with the text.
  ///
  /// - Complexity: O(needle).
  func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(needle.count))
    if isASCII(head) { return needle.count == head.count && isEqual(needle, head, at: 0) }
    lower(bytes, atMost: needle.count)
    return lowered.withUnsafeBytes { needle.count <= $0.count && isEqual(needle, $0, at: 0) }
  }

  // MARK: Bytes

  /// Finds the needle among bytes that are ASCII, or of which every letter is lower case.
  @inline(__always) private func find(_ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer) -> Bool {
    let last = bytes.count - needle.count
    var place = 0
    // Eight places at once: where the first two bytes are the needle's. One more byte is read than places are looked at.
    while place + 9 <= bytes.count && place <= last {
      var hits = equalBytes(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) | firstCase, first)
      if needle.count > 1 && hits != 0 {
        hits &= equalBytes(bytes.loadUnaligned(fromByteOffset: place + 1, as: UInt64.self) | secondCase, second)
      }
      while hits != 0 {
        let hit = place + hits.trailingZeroBitCount >> 3
        if hit <= last && isEqual(needle, bytes, at: hit) { return true }
        hits &= hits - 1
      }
      place += 8
    }
    while place <= last {
      if isEqual(needle, bytes, at: place) { return true }
      place += 1
    }
    return false
  }

  /// The highest bit of each byte (in the order of memory) that is equal in both.
  @inline(__always) private func equalBytes(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let difference = UInt64(littleEndian: a) ^ UInt64(littleEndian: b)
    let low = (difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
    return ~(low | difference) & 0x8080_8080_8080_8080
  }

  /// Whether the needle stands at this place; letters of ASCII are folded.
  @inline(__always) private func isEqual(
    _ needle: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, at place: Int
  ) -> Bool {
    for index in 0..<needle.count {
      let byte = bytes[place + index]
      guard (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) == needle[index] else { return false }
    }
    return true
  }

  @inline(__always) private func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    var bits: UInt64 = 0
    while offset + 8 <= bytes.count {
      bits |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      bits |= UInt64(bytes[offset])
      offset += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Puts the lower case of these bytes into `lowered`; it may stop when there are so many.
  private func lower(_ bytes: UnsafeRawBufferPointer, atMost limit: Int) {
    lowered.removeAll(keepingCapacity: true)
    var offset = 0
    while offset < bytes.count && lowered.count < limit {
      let byte = bytes[offset]
      if byte < 0x80 {
        lowered.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
        offset += 1
        continue
      }
      let (scalar, length) = decodeScalar(bytes, at: offset)
      if Self.hasNoCase(scalar) {
        lowered.append(contentsOf: bytes[offset..<offset + length])
      } else {
        lowered.append(contentsOf: Unicode.Scalar(scalar)?.properties.lowercaseMapping.utf8 ?? "".utf8)
      }
      offset += length
    }
  }

  /// Han, Kana, Hangul and their neighbours: spares looking for the lower case of what has none.
  @inline(__always) private static func hasNoCase(_ scalar: UInt32) -> Bool {
    (0x2E80...0xA63F).contains(scalar) || (0xAC00...0xD7FF).contains(scalar)
  }
}
