import CWebSockets

/// Wrappers around OpenSSL's functions.
package enum Cryptography {
  /// Returns `count` bytes of the system's random number generator.
  static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Returns the SHA-256 digest.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(bytes, bytes.count, &result)
    return result
  }

  /// Returns the HMAC-SHA-256 message authentication code.
  static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    var count: UInt32 = 0
    HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &result, &count)
    return result
  }

  /// Returns whether two secrets are equal, in constant time.
  ///
  /// Comparing digests also hides the lengths of the secrets.
  @inline(never) package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    CRYPTO_memcmp(digest(one), digest(other), Int(SHA256_DIGEST_LENGTH)) == 0
  }
}

/// Base64url without padding (RFC 4648, section 5), which is valid in URLs, headers and cookies.
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in bytes {
      buffer = buffer << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        result.append(alphabet[buffer >> bits & 63])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { result.append(alphabet[buffer << (6 - bits) & 63]) }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes a text; returns `nil` if it is not the canonical encoding of any bytes.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(buffer >> bits & 255))
      }
      buffer &= (1 << bits) - 1
    }
    return bits < 6 && buffer == 0 ? result : nil
  }
}
