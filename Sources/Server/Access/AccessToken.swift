import Wire

/// A secret that grants its bearer a role.
///
///     let token = AccessToken(role: .operator)  // 256 random bits
///     token.text                                // for the private token file, and for headers
///     token.loginCode(at: bootTime)             // for a URL that works once
///
/// The code does not reveal the token.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible {
  /// The minimum number of characters: 256 bits in base64url.
  static let leastLength = 43
  static let greatestLength = 200

  /// The role that the token grants.
  public let role: Role
  /// The secret, which must not appear in logs, command lines or environment variables.
  public let text: String

  /// Creates a random token.
  public init(role: Role) {
    self.role = role
    text = Base64.url.text(of: Cryptography.randomBytes(32))
  }

  /// Creates a token from its text.
  ///
  /// Returns `nil` if the text is too short to be safe, too long, or not valid in headers.
  public init?(role: Role, text: String) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "~"):
        true
      default: false
      }
    }
    guard isPlain, (Self.leastLength...Self.greatestLength).contains(text.utf8.count) else { return nil }
    self.role = role
    self.text = text
  }

  /// A description without the secret, which keeps the token out of logs.
  public var description: String { "a token of a \(role.rawValue)" }

  /// Returns a login code that is valid once within ``LoginCodes/lifetime``.
  ///
  /// - Parameter now: The current ``BootClock/milliseconds``.
  public func loginCode(at now: Int64) -> String { LoginCode(of: self, at: now).text }
}
