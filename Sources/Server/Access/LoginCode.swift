import Wire

/// A one-time code for a login URL: a time, a nonce, and a MAC keyed by a token.
///
/// Any process that can read the token can create codes, without contacting the running server.
struct LoginCode: Hashable {
  private static let nonceLength = 16
  private static let macLength = 32

  /// The time of creation, in milliseconds of ``BootClock``.
  let madeAt: Int64
  let nonce: [UInt8]
  private let mac: [UInt8]

  /// Creates a new code.
  init(of token: AccessToken, at now: Int64) {
    madeAt = now
    nonce = Cryptography.randomBytes(Self.nonceLength)
    mac = Self.mac(of: token, madeAt: now, nonce: nonce)
  }

  /// Parses a code without verifying it; returns `nil` if it is malformed.
  init?(text: String) {
    guard text.utf8.count <= 100, let bytes = Base64.url.decode(text),
      bytes.count == 8 + Self.nonceLength + Self.macLength
    else { return nil }
    madeAt = bytes[..<8].reduce(0) { $0 << 8 | Int64($1) }
    nonce = Array(bytes[8..<8 + Self.nonceLength])
    mac = Array(bytes[(8 + Self.nonceLength)...])
  }

  var text: String { Base64.url.text(of: Self.bytes(of: madeAt) + nonce + mac) }

  /// Returns whether the code was created with this token.
  func isMade(with token: AccessToken) -> Bool {
    Cryptography.areEqual(mac, Self.mac(of: token, madeAt: madeAt, nonce: nonce))
  }

  private static func bytes(of moment: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: moment >> (56 - 8 * $0)) }
  }

  private static func mac(of token: AccessToken, madeAt: Int64, nonce: [UInt8]) -> [UInt8] {
    let message = Array("rowcast code".utf8) + BootClock.bootID + bytes(of: madeAt) + nonce
    return Cryptography.code(message, key: Array(token.text.utf8))
  }
}
