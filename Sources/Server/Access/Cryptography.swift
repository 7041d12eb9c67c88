import CSystem

/// Random bytes, digests and message authentication codes of secrets.
package enum Cryptography {
  /// Returns `count` bytes of the system's random number generator.
  static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Returns the SHA-256 digest.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(DIGEST_BYTES))
    digest_bytes(bytes, bytes.count, &result)
    return result
  }

  /// Returns the HMAC-SHA-256 message authentication code.
  static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(DIGEST_BYTES))
    digest_code(message, message.count, key, key.count, &result)
    return result
  }

  /// Returns whether two secrets are equal, in constant time.
  ///
  /// Comparing digests also hides the lengths of the secrets.
  @inline(never) package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    digest_is_equal(digest(one), digest(other)) != 0
  }
}
