/// CRC-32C (Castagnoli), as used by iSCSI and ext4.
///
/// It detects all burst errors of up to 32 bits. Other errors go undetected with a probability of
/// 2^−32.
package enum Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
  }

  /// Returns the checksum of some bytes.
  package static func of(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = ~0
    for byte in bytes { value = step(value, byte) }
    return ~value
  }

  /// Returns the lengths of all prefixes that have this checksum.
  package static func lengths(_ bytes: some Sequence<UInt8>, having checksum: UInt32) -> [Int] {
    var found: [Int] = []
    var value: UInt32 = ~0
    for (index, byte) in bytes.enumerated() {
      value = step(value, byte)
      if ~value == checksum { found.append(index + 1) }
    }
    return found
  }

  private static func step(_ value: UInt32, _ byte: UInt8) -> UInt32 {
    value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
  }
}
