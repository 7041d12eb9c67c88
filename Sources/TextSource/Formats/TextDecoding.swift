import ListEngine

/// Converts a byte stream to UTF-8 piece by piece, detecting UTF-16 and binary data.
///
/// Lines that are not UTF-8 are decoded later one by one; see ``TerminalText``.
///
///     var decoding = TextDecoding()
///     let bytes = decoding.take(piece)       // .binary(reason) for binary data
package struct TextDecoding {
  enum Encoding: Equatable { case bytes, utf16(isBigEndian: Bool) }
  package enum Result { case text([UInt8]), unchanged, binary(String) }

  /// The detected encoding; `nil` before the first bytes.
  private(set) var encoding: Encoding?
  /// The bytes of an incomplete code unit or surrogate pair.
  private var waiting: [UInt8] = []

  /// The number of bytes examined to detect the encoding.
  static let sampleBytes = 4_096

  /// A notice about the encoding, or empty.
  package var notice: String {
    if case .utf16 = encoding { return "Text was read as UTF-16" }
    return ""
  }

  package init() {}

  /// Decodes the next bytes.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) -> Result {
    guard !bytes.isEmpty else { return .unchanged }
    if encoding == nil {
      if let reason = Self.binaryReason(bytes) { return .binary(reason) }
      encoding = Self.encoding(of: bytes)
    }
    guard case .utf16(let isBigEndian)? = encoding else { return .unchanged }
    waiting.append(contentsOf: bytes)
    let (high, low) = isBigEndian ? (0, 1) : (1, 0)
    var units: [UInt16] = []
    for place in stride(from: 0, to: waiting.count - 1, by: 2) {
      units.append(UInt16(waiting[place + high]) << 8 | UInt16(waiting[place + low]))
    }
    // A high surrogate waits for its low surrogate.
    if let last = units.last, (0xD800...0xDBFF).contains(last) { units.removeLast() }
    waiting.removeFirst(units.count * 2)
    if units.first == 0xFEFF, !hasBegun { units.removeFirst() }
    hasBegun = true
    return .text(Array(String(decoding: units, as: UTF16.self).utf8))
  }

  private var hasBegun = false

  private static func encoding(of bytes: UnsafeRawBufferPointer) -> Encoding {
    if bytes.count >= 2 {
      if bytes[0] == 0xFF, bytes[1] == 0xFE { return .utf16(isBigEndian: false) }
      if bytes[0] == 0xFE, bytes[1] == 0xFF { return .utf16(isBigEndian: true) }
    }
    guard let isBigEndian = zerosSayBigEndian(bytes) else { return .bytes }
    return .utf16(isBigEndian: isBigEndian)
  }

  /// Detects UTF-16 of mostly Latin text by zeros in every other byte.
  ///
  /// Returns whether the zeros are at even offsets (big-endian); `nil` when the zeros have no such
  /// pattern.
  private static func zerosSayBigEndian(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    let sample = bytes.prefix(sampleBytes)
    guard sample.count >= 4 else { return nil }
    let even = stride(from: 0, to: sample.count, by: 2).count { sample[$0] == 0 }
    let odd = stride(from: 1, to: sample.count, by: 2).count { sample[$0] == 0 }
    let most = sample.count / 2 * 7 / 10
    if odd >= most, odd > even * 10 { return false }
    return even >= most && even > odd * 10 ? true : nil
  }

  /// Returns the reason why the first bytes of a stream are not text, or `nil`.
  private static func binaryReason(_ bytes: UnsafeRawBufferPointer) -> String? {
    let kinds: [(mark: [UInt8], name: String, help: String)] = [
      ([0x1F, 0x8B], "gzip data", "unpack it first: zcat FILE | rowcast"),
      ([0x28, 0xB5, 0x2F, 0xFD], "zstd data", "unpack it first: zstdcat FILE | rowcast"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz data", "unpack it first: xzcat FILE | rowcast"),
      ([0x50, 0x4B, 0x03, 0x04], "a zip archive", "unpack it first, or export a sheet as CSV"),
    ]
    if let kind = kinds.first(where: { bytes.starts(with: $0.mark) }) {
      return "this is \(kind.name), not text: \(kind.help)"
    }
    guard encoding(of: bytes) == .bytes else { return nil }
    let sample = bytes.prefix(sampleBytes)
    // BEL, BS, TAB, LF, VT, FF, CR and ESC are common in program output.
    let controls = sample.count { ($0 < 0x20 && !(0x07...0x0D).contains($0) && $0 != 0x1B) || $0 == 0x7F }
    guard sample.contains(0) || controls * 10 > sample.count else { return nil }
    return "this is binary data, not text"
  }
}
