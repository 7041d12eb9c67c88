/// A collator for ``Collation/natural``: case-insensitive, with runs of ASCII digits compared as
/// numbers.
///
/// The key is the text in lower case, by Unicode's full mapping without a locale. Each run of
/// digits becomes `0`, the number of digits without leading zeros, and these digits.
final class NaturalCollator: Collator {
  func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    if text.allSatisfy({ $0 < 0x80 }) { return append(text, to: &key) }
    var lower = String(decoding: text, as: UTF8.self).lowercased()
    lower.withUTF8 { append(UnsafeRawBufferPointer($0), to: &key) }
  }

  private func append(_ text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    let zero = UInt8(ascii: "0")
    func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
    var place = 0
    while place < text.count {
      let byte = text[place]
      guard isDigit(byte) else {
        key.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        place += 1
        continue
      }
      while place < text.count, text[place] == zero { place += 1 }
      var end = place
      while end < text.count, isDigit(text[end]) { end += 1 }
      key.append(zero)
      append(count: end - place, to: &key)
      key.append(contentsOf: text[place..<end])
      place = end
    }
  }

  /// Appends a count in a form that sorts bytewise.
  private func append(count: Int, to key: inout [UInt8]) {
    guard count >= 0xFF else { return key.append(UInt8(count)) }
    key.append(0xFF)
    for shift in [24, 16, 8, 0] { key.append(UInt8(truncatingIfNeeded: count >> shift)) }
  }
}
