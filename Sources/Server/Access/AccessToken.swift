/// A secret that lets whoever has it in, and as what.
///
///     let token = AccessToken(role: .operator)       // 256 bits from the system's generator
///     token.text                                     // for a file that only its owner may read, and for headers
///     token.loginCode(at: bootTime)                  // for an address that works once
///
/// The code does not reveal the token.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible {
  /// The least number of characters: 256 bits in base64url.
  static let leastLength = 43
  static let greatestLength = 200

  /// What may be done with it.
  public let role: Role
  /// The secret itself. Never for a log, a command line or an environment.
  public let text: String

  /// A new one.
  public init(role: Role) {
    self.role = role
    text = Base64URL.encode(Cryptography.randomBytes(32))
  }

  /// One that was made before; `nil` when it is too short to be hard to guess, too long, or has characters that no header may have.
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

  /// Without the secret, so that it gets into no log by chance.
  public var description: String { "a token of a \(role.rawValue)" }

  /// A code for an address, good for one use within ``LoginCodes/lifetime``.
  ///
  /// - Parameter now: ``BootClock/milliseconds``.
  public func loginCode(at now: Int64) -> String { LoginCode(of: self, at: now).text }
}
