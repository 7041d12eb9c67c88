/// A 64-bit hash of bytes, keyed by a seed, for the engine's hash tables.
///
/// It uses the mixing step of [wyhash](https://github.com/wangyi-fudan/wyhash) (Wang Yi, 2019), 8
/// bytes at a time. It does not resist an attacker who knows the seed.
struct BytesHash {
  /// The seed, different for each run of the engine so that collisions cannot be prepared.
  let seed: UInt64

  /// Returns the hash of a byte sequence.
  ///
  /// - Complexity: O(bytes).
  @inline(__always) func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = seed ^ (UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15)
    guard let base = bytes.baseAddress else { return Self.fold(state, 0xE703_7ED1_A0B4_28DB) }
    var offset = 0
    let count = bytes.count
    while offset + 8 <= count {
      state = Self.fold(state ^ base.loadUnaligned(fromByteOffset: offset, as: UInt64.self), 0xE703_7ED1_A0B4_28DB)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return Self.fold(state ^ rest, 0x8EBC_6AF0_9C88_C6E3)
  }

  /// Returns the hash of an integer.
  @inline(__always) func hash(_ value: Int64) -> UInt64 {
    Self.fold(UInt64(bitPattern: value) ^ seed, 0xE703_7ED1_A0B4_28DB)
  }

  @inline(__always) private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = (a ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
