import CWebSockets

/// The three things that are needed of OpenSSL, as bytes in and bytes out.
package enum Cryptography {
  /// So many bytes from the system's generator.
  static func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// SHA-256.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(bytes, bytes.count, &result)
    return result
  }

  /// HMAC-SHA-256: what only somebody with the key can have said.
  static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    var count: UInt32 = 0
    HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &result, &count)
    return result
  }

  /// Whether two secrets are equal, in a time that tells nothing about where they differ, nor of their lengths: digests of both are
  /// compared, each byte of them.
  @inline(never) package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    CRYPTO_memcmp(digest(one), digest(other), Int(SHA256_DIGEST_LENGTH)) == 0
  }
}

/// Bytes as text that may stand in an address, a header and a cookie: base64url without padding (RFC 4648, 5).
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

  /// `nil` when the text is not what ``encode(_:)`` makes of any bytes.
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
