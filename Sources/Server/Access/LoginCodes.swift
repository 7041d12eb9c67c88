/// The validity of login codes: each is valid once, for a short time.
///
/// Codes created before the server started are invalid, so it need not store used codes across
/// restarts.
///
/// The code that the server itself prints has no time limit, but is valid once, too.
///
/// All times are milliseconds of ``BootClock``, so that setting the time of day has no effect.
struct LoginCodes {
  /// The time for which a code is valid, in milliseconds.
  static let lifetime: Int64 = 120_000
  /// The maximum number of used codes remembered per token; further codes are refused.
  static let greatestCount = 1_000
  /// The maximum number of used codes remembered per token and client address.
  ///
  /// It prevents one client from exhausting the codes of the others.
  static let greatestCountPerClient = 100
  /// The number of tokens above which expired uses of other tokens are dropped.
  private static let greatestTokenCount = 64

  private struct Use {
    var client: String
    /// The time from which the code is too old to be accepted again.
    var endsAt: Int64
  }

  private let startedAt: Int64
  private var printed: LoginCode?
  /// The used codes per token, so that exhausting the codes of viewers does not affect operators.
  private var used: [AccessToken: [[UInt8]: Use]] = [:]

  /// Creates a verifier that accepts codes created from now on.
  init(at now: Int64) { startedAt = now }

  /// Creates the code for the URL that the server prints.
  mutating func print(for token: AccessToken, at now: Int64) -> String {
    let code = LoginCode(of: token, at: now)
    printed = code
    return code.text
  }

  /// Verifies a code and marks it as used.
  ///
  /// - Parameter client: The address that sent the code.
  /// - Returns: The token that the code was created with; `nil` if the code is invalid.
  mutating func use(
    _ text: String, of tokens: [AccessToken], from client: String = "", at now: Int64
  ) -> AccessToken? {
    guard let code = LoginCode(text: text), let token = tokens.first(where: code.isMade) else { return nil }
    if code == printed {
      // Remember this code, too: it may be recent enough to be accepted like any other.
      guard remember(code, of: token, from: client, at: now) else { return nil }
      printed = nil
      return token
    }
    guard code.madeAt >= startedAt, code.madeAt <= now, now - code.madeAt <= Self.lifetime else { return nil }
    return remember(code, of: token, from: client, at: now) ? token : nil
  }

  /// Marks a code as used.
  ///
  /// - Returns: `false` if the code was used before or a limit is exceeded.
  private mutating func remember(
    _ code: LoginCode, of token: AccessToken, from client: String, at now: Int64
  ) -> Bool {
    if used.count > Self.greatestTokenCount {
      used = used.mapValues { $0.filter { $0.value.endsAt >= now } }.filter { !$0.value.isEmpty }
    }
    let uses = used[token, default: [:]].filter { $0.value.endsAt >= now }
    used[token] = uses
    guard uses[code.nonce] == nil, uses.count < Self.greatestCount,
      uses.values.count(where: { $0.client == client }) < Self.greatestCountPerClient
    else { return false }
    used[token, default: [:]][code.nonce] = Use(client: client, endsAt: code.madeAt + Self.lifetime)
    return true
  }
}
