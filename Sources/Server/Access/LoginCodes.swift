/// The login codes that are still valid: each once, for a short time, and none that was made before
/// this server ran. So a server need not remember used codes across a restart.
///
/// The code that the server itself prints has no time limit, but is valid once, too.
///
/// All times are milliseconds of ``BootClock``, so that setting the time of day has no effect.
struct LoginCodes {
  /// The time for which a code is valid, in milliseconds.
  static let lifetime: Int64 = 120_000
  /// The number of used codes remembered for one token; more within a lifetime are refused.
  static let greatestCount = 1_000
  /// The same for one client address, so that one client cannot use up the codes of the others.
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
  /// Per token: using up the codes of a viewer leaves those of an operator.
  private var used: [AccessToken: [[UInt8]: Use]] = [:]

  /// Accepts codes made from now on.
  init(at now: Int64) { startedAt = now }

  /// Makes the code for the address that the server prints.
  mutating func print(for token: AccessToken, at now: Int64) -> String {
    let code = LoginCode(of: token, at: now)
    printed = code
    return code.text
  }

  /// Uses a code up.
  ///
  /// - Parameter client: The address that sent it.
  /// - Returns: The token it was made with; `nil` when the code is not valid.
  mutating func use(
    _ text: String, of tokens: [AccessToken], from client: String = "", at now: Int64
  ) -> AccessToken? {
    guard let code = LoginCode(text: text), let token = tokens.first(where: code.isMade) else { return nil }
    if code == printed {
      // It may be young enough to be accepted as one of the others.
      guard remember(code, of: token, from: client, at: now) else { return nil }
      printed = nil
      return token
    }
    guard code.madeAt >= startedAt, code.madeAt <= now, now - code.madeAt <= Self.lifetime else { return nil }
    return remember(code, of: token, from: client, at: now) ? token : nil
  }

  /// - Returns: `false` when the code was used before, or too many were.
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
