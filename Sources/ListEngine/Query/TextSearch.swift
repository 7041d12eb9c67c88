/// A case-insensitive substring search.
///
/// ASCII texts are compared eight bytes at a time. Other texts are first converted to lower case
/// with Unicode's full mapping. The buffer for this is reused, so that a search allocates no
/// memory.
final class TextSearch {
  private let needle: UnsafeRawBufferPointer
  /// The first two bytes of the lowercase needle, each repeated eight times.
  private let first: UInt64
  private let second: UInt64
  /// The bits that convert letters to lower case before they are compared with `first` and
  /// `second`; 0 for needle bytes that are not letters.
  private let firstCase: UInt64
  private let secondCase: UInt64
  /// The offset of `second` from `first`, which is 0 if the needle has only one byte.
  private let secondOffset: Int
  private var lowered: [UInt8] = []

  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Creates a search; an empty text is found everywhere.
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

  /// Returns whether these UTF-8 bytes contain the text.
  ///
  /// - Complexity: O(bytes), provided that the first two bytes of the needle are rare.
  func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if needle.isEmpty { return true }
    var seen: UInt64 = 0
    let isFound = find(needle, in: bytes, seen: &seen)
    // If the needle was found, the bytes after it have not been checked for non-ASCII characters.
    guard isFound ? isASCII(bytes) : seen & Self.highBits == 0 else {
      lower(bytes, atMost: .max)
      return lowered.withUnsafeBytes { find(needle, in: $0, seen: &seen) }
    }
    return isFound
  }

  /// Returns whether these UTF-8 bytes begin with the text.
  ///
  /// - Complexity: O(needle).
  func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(needle.count))
    if isASCII(head) { return needle.count == head.count && isEqual(needle, head, at: 0) }
    lower(bytes, atMost: needle.count)
    return lowered.withUnsafeBytes { needle.count <= $0.count && isEqual(needle, $0, at: 0) }
  }

  // MARK: Bytes

  /// Searches bytes that are ASCII or whose letters are all lower case.
  ///
  /// If the needle is not found, `seen` contains the bits of all bytes.
  @inline(__always) private func find(
    _ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, seen: inout UInt64
  ) -> Bool {
    let last = bytes.count - needle.count
    let end = bytes.count - 8 - secondOffset
    // Compare the first two bytes of the needle at eight offsets at once. The last block overlaps
    // the one before, because most texts are short and a loop over the remaining bytes is slow.
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

  /// Returns the highest bit of each byte (in memory order) that is equal in both words.
  @inline(__always) private func equalBytes(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let difference = UInt64(littleEndian: a) ^ UInt64(littleEndian: b)
    let low = (difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
    return ~(low | difference) & Self.highBits
  }

  /// Returns whether the needle is at this offset, ignoring the case of ASCII letters.
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

  /// Stores the lower case of these bytes in `lowered`; it may stop after `limit` bytes.
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

  /// Returns whether a scalar is in the range of Han, Kana or Hangul, which need no case mapping.
  @inline(__always) private static func hasNoCase(_ scalar: UInt32) -> Bool {
    (0x2E80...0xA63F).contains(scalar) || (0xAC00...0xD7FF).contains(scalar)
  }
}
