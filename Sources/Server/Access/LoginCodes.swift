/// Which codes are still good: each once, for a short time, and none that was made before this server ran.
///
/// The last is why a server need not remember across a restart what was used before it. One code is an exception: the one that the
/// server itself has printed waits for as long as it takes, but is good once, too.
struct LoginCodes {
  /// How long a code is good, in milliseconds.
  static let lifetime: Int64 = 120_000
  /// How many uses are remembered; more within a lifetime are refused.
  static let greatestCount = 1_000

  private let startedAt: Int64
  private var printed: LoginCode?
  private var used: [[UInt8]: Int64] = [:]

  /// - Parameter now: milliseconds since 1970.
  init(at now: Int64) { startedAt = now }

  /// A code for the address that the server prints.
  mutating func print(for token: AccessToken, at now: Int64) -> String {
    let code = LoginCode(of: token, at: now)
    printed = code
    return code.text
  }

  /// Uses a code up.
  ///
  /// - Returns: the token that it stands for; `nil` when it is good for nothing.
  mutating func use(_ text: String, of tokens: [AccessToken], at now: Int64) -> AccessToken? {
    guard let code = LoginCode(text: text), let token = tokens.first(where: code.isMade) else { return nil }
    if code == printed {
      printed = nil
      // It may be young enough to be taken for one of the others.
      return remember(code, at: now) ? token : nil
    }
    guard code.madeAt >= startedAt, code.madeAt.distance(to: now).magnitude <= Self.lifetime else { return nil }
    return remember(code, at: now) ? token : nil
  }

  /// - Returns: `false` when it was used before, or too many were.
  private mutating func remember(_ code: LoginCode, at now: Int64) -> Bool {
    // A code can be from the future by one lifetime, if the clock was set back.
    if used.count >= Self.greatestCount { used = used.filter { now - $0.value <= 2 * Self.lifetime } }
    guard used.count < Self.greatestCount, used[code.nonce] == nil else { return false }
    used[code.nonce] = now
    return true
  }
}
