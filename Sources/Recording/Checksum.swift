/// CRC-32C (Castagnoli), as iSCSI and ext4 use it: notices every burst of errors up to 32 bits, and others but for one in 2^32.
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
  }

  /// The checksum of these bytes.
  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~0, step)
  }

  /// How many of these bytes, from the first on, have this checksum; of several numbers all.
  static func lengths(_ bytes: some Sequence<UInt8>, having checksum: UInt32) -> [Int] {
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
