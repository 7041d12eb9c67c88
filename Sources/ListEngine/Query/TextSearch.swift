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
  /// How far behind the first one `second` is; 0 when there is only one.
  private let secondOffset: Int
  private var lowered: [UInt8] = []

  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

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
    secondOffset = min(1, max(0, needle.count - 1))
    (second, secondCase) = spread(secondOffset)
  }

  deinit { needle.deallocate() }

  /// Whether the text is in these bytes, which are UTF-8.
  ///
  /// - Complexity: O(bytes), as long as the needle's first two bytes are rare.
  func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if needle.isEmpty { return true }
    var seen: UInt64 = 0
    let isFound = find(needle, in: bytes, seen: &seen)
    // What was found has not been looked at as far as its end.
    guard isFound ? isASCII(bytes) : seen & Self.highBits == 0 else {
      lower(bytes, atMost: .max)
      return lowered.withUnsafeBytes { find(needle, in: $0, seen: &seen) }
    }
    return isFound
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

  /// Finds the needle among bytes that are ASCII, or of which every letter is lower case. When it is not found all bytes have gone into the
  /// bits of `seen`.
  @inline(__always) private func find(
    _ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, seen: inout UInt64
  ) -> Bool {
    let last = bytes.count - needle.count
    let end = bytes.count - 8 - secondOffset
    // Eight places at once: where the first two bytes are the needle's. The last eight overlap those before: most texts are short, and what
    // is left over is too dear to be looked at byte by byte.
    var place = 0
    while end >= 0 {
      let firsts = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let seconds = bytes.loadUnaligned(fromByteOffset: place + secondOffset, as: UInt64.self)
      seen |= firsts | seconds
      var hits = equalBytes(firsts | firstCase, first) & equalBytes(seconds | secondCase, second)
      while hits != 0 {
        let hit = place + hits.trailingZeroBitCount >> 3
        if hit <= last && isEqual(needle, bytes, at: hit) { return true }
        hits &= hits - 1
      }
      if place == end { return false }
      place = min(place + 8, end)
    }
    for byte in bytes { seen |= UInt64(byte) }
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
    return ~(low | difference) & Self.highBits
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
    return bits & Self.highBits == 0
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
