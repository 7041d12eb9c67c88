/// Base64 (RFC 4648) in one of its two alphabets.
///
///     Base64.standard.encode(image)       // with padding, in messages of child processes
///     Base64.url.text(of: secret)         // without padding, in URLs, headers and cookies
///
/// Only the canonical encoding is decoded, so that no two texts decode to the same bytes.
package struct Base64: Sendable {
  /// The alphabet of section 4, with padding.
  package static let standard = Base64(last: "+/", isPadded: true)
  /// The alphabet of section 5 without padding, which is valid in URLs, headers and cookies.
  package static let url = Base64(last: "-_", isPadded: false)

  private let letters: [UInt8]
  /// The value of each letter; 255 for other bytes.
  private let values: [UInt8]
  private let isPadded: Bool

  private init(last: String, isPadded: Bool) {
    letters = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
    var values = [UInt8](repeating: 255, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    self.values = values
    self.isPadded = isPadded
  }

  /// Returns the bytes of a text, or `nil` if it is not the canonical encoding of any bytes.
  package func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !isPadded || text.count % 4 == 0 else { return nil }
    let padding = isPadded ? text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count : 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for letter in text.dropLast(padding) {
      let value = values[Int(letter)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    // The leftover bits must be zero, otherwise two texts would decode to the same bytes. A single
    // letter more encodes no further byte.
    guard count < 6, bits & (1 << UInt32(count) - 1) == 0 else { return nil }
    return bytes
  }

  /// Returns the bytes of a text, or `nil` if it is not the canonical encoding of any bytes.
  package func decode(_ text: some StringProtocol) -> [UInt8]? { Array(text.utf8).withUnsafeBytes { decode($0) } }

  /// Returns the encoding of bytes in ASCII.
  package func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var bits: UInt32 = 0
      for index in 0..<3 { bits = bits << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
      for index in 0...count { text.append(letters[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
      if isPadded { for _ in count..<3 { text.append(UInt8(ascii: "=")) } }
    }
    return text
  }

  /// Returns the encoding of bytes as a text.
  package func text(of bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }
}
