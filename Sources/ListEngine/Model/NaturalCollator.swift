/// Without regard to case, and runs of ASCII digits as numbers: ``Collation/natural``.
///
/// The key is the text in lower case (Unicode's full mapping, of no language), with each run of digits written as `0`, how many digits
/// it has without leading zeros, and those.
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

  /// Counts in the order of their bytes.
  private func append(count: Int, to key: inout [UInt8]) {
    guard count >= 0xFF else { return key.append(UInt8(count)) }
    key.append(0xFF)
    for shift in [24, 16, 8, 0] { key.append(UInt8(truncatingIfNeeded: count >> shift)) }
  }
}
