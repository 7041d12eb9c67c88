import Wire

/// The cookie of a browser that has signed in: the time of the sign-in, a random number, and a
/// proof that the server issued it for a token (HMAC-SHA-256).
///
/// A server checks it without a record of the sign-in, so cookies stay valid across restarts as
/// long as the token does. ``SignIns`` remembers those that were ended early.
struct SessionCookie: Hashable {
  /// The time for which a cookie is valid, in milliseconds: 30 days.
  static let lifetime: Int64 = 30 * 86_400_000
  /// The time by which a cookie may come from the future, in milliseconds: clocks are set back.
  private static let tolerance: Int64 = 300_000
  private static let nonceLength = 16
  private static let macLength = 32

  /// Milliseconds of ``WallClock``.
  let signedInAt: Int64
  private let nonce: [UInt8]
  private let mac: [UInt8]

  /// Issues a cookie.
  init(of token: AccessToken, at now: Int64) {
    signedInAt = now
    nonce = Cryptography.randomBytes(Self.nonceLength)
    mac = Self.mac(of: token, signedInAt: now, nonce: nonce)
  }

  /// Reads the value of a cookie; `nil` if it does not have the form of one.
  init?(text: String) {
    guard text.utf8.count <= 100, let bytes = Base64.url.decode(text),
      bytes.count == 8 + Self.nonceLength + Self.macLength
    else { return nil }
    signedInAt = Int64(bitPattern: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) })
    nonce = Array(bytes[8..<8 + Self.nonceLength])
    mac = Array(bytes[(8 + Self.nonceLength)...])
  }

  /// The value of the cookie.
  var text: String { Base64.url.text(of: Self.bytes(of: signedInAt) + nonce + mac) }

  /// The public name of the sign-in: eight characters that do not sign a client in.
  var id: String { Base64.url.text(of: Array(nonce.prefix(6))) }

  /// Whether it was issued for this token and has not expired.
  func isValid(for token: AccessToken, at now: Int64) -> Bool {
    let isOurs = Cryptography.areEqual(mac, Self.mac(of: token, signedInAt: signedInAt, nonce: nonce))
    return isOurs && signedInAt <= now &+ Self.tolerance && !Self.isExpired(signedInAt, at: now)
  }

  /// Whether a sign-in at this time has expired.
  static func isExpired(_ signedInAt: Int64, at now: Int64) -> Bool {
    let (age, isFarOff) = now.subtractingReportingOverflow(signedInAt)
    return isFarOff || age > lifetime
  }

  private static func bytes(of time: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
  }

  private static func mac(of token: AccessToken, signedInAt: Int64, nonce: [UInt8]) -> [UInt8] {
    Cryptography.code(Array("rowcast session".utf8) + bytes(of: signedInAt) + nonce, key: Array(token.text.utf8))
  }
}
