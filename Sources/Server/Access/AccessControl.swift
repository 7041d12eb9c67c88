import ListEngine

/// Authentication of clients by the tokens or cookies in their requests.
///
/// It follows the checks of ``RequestGuard``, so requests with a foreign `Host` or `Origin` never
/// get here.
struct AccessControl {
  /// The credentials of an accepted client.
  struct Pass: Equatable {
    var role: Role
    /// The token that was used; `nil` if the server requires none.
    var token: AccessToken?
    /// The sign-in that the cookie belongs to; `nil` without a cookie.
    var signIn: String?

    init(_ role: Role, _ token: AccessToken? = nil, signIn: String? = nil) {
      self.role = role
      self.token = token
      self.signIn = signIn
    }
  }

  enum Verdict: Equatable {
    case allow(Pass)
    case refuse(status: Int, reason: String)
  }

  enum Session: Equatable {
    case role(Role?)
    case refuse(status: Int, reason: String)
  }

  /// The prefix of the subprotocol by which clients other than browsers send their token.
  static let subprotocolPrefix = "rowcast.token."

  /// The accepted tokens; an empty list accepts every client.
  private(set) var tokens: [AccessToken]
  /// The name of the cookie, which contains the port, because all ports of a host share cookies.
  let cookieName: String
  private var isReadOnly: Bool
  private let isSecure: Bool
  private var codes: LoginCodes
  private var failures: FailureLimiter
  /// The browsers that have signed in.
  private(set) var signIns: SignIns
  /// Milliseconds since 1970.
  private let wallTime: @Sendable () -> Int64

  /// - Parameters:
  ///   - bootTime: The current ``BootClock/milliseconds``.
  ///   - signIns: The sign-ins of an earlier run.
  ///   - wallTime: Returns the milliseconds since 1970.
  init(
    tokens: [AccessToken], port: Int, isReadOnly: Bool, isSecure: Bool, at now: Instant, bootTime: Int64,
    signIns: SignIns = SignIns(), wallTime: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
  ) {
    self.signIns = signIns
    self.wallTime = wallTime
    self.tokens = tokens
    cookieName = (isSecure ? "__Host-" : "") + (port == 0 ? "rowcast" : "rowcast-\(port)")
    self.isReadOnly = isReadOnly
    self.isSecure = isSecure
    codes = LoginCodes(at: bootTime)
    failures = FailureLimiter(at: now)
  }

  // MARK: Requests

  /// Returns whether a plain request is accepted.
  ///
  /// A cookie suffices, because browsers omit `Origin` from plain requests.
  mutating func verdict(onPage head: RequestHead, from address: String, at now: Instant) -> Verdict {
    verdict(usedPass(of: head, takesCookie: true, from: address), from: address, at: now)
  }

  /// Returns whether an upgrade is accepted.
  ///
  /// Browsers always send `Origin` with an upgrade. Without it, the cookie does not count.
  mutating func verdict(onUpgrade head: RequestHead, from address: String, at now: Instant) -> Verdict {
    verdict(usedPass(of: head, takesCookie: !head.origin.isEmpty, from: address), from: address, at: now)
  }

  private mutating func verdict(_ pass: Pass?, from address: String, at now: Instant) -> Verdict {
    if let pass { return .allow(pass) }
    guard failures.noteFailure(from: address, at: now) else {
      return .refuse(status: 429, reason: "Too many wrong tokens; wait a second.")
    }
    return .refuse(
      status: 401,
      reason: "Sign-in needed. Run `rowcast url` on the server and open the link it prints, or send a token.")
  }

  /// Returns the role that a request has; `nil` for none.
  ///
  /// A wrong token counts as a failure here as everywhere, so that this path cannot be used to
  /// guess tokens faster. A request without a token is always answered.
  mutating func session(_ head: RequestHead, from address: String, at now: Instant) -> Session {
    if let role = role(of: head) { return .role(role) }
    guard head.tokens.isEmpty, head.cookies(named: cookieName).isEmpty else {
      guard case .refuse(status: 429, let reason) = verdict(nil, from: address, at: now) else { return .role(nil) }
      return .refuse(status: 429, reason: reason)
    }
    return .role(nil)
  }

  /// Returns the role of a request, or `nil` if it has no valid token or cookie.
  func role(of head: RequestHead) -> Role? { pass(of: head, takesCookie: true)?.role }

  /// Returns the pass of a request, and records the use of a sign-in.
  private mutating func usedPass(of head: RequestHead, takesCookie: Bool, from address: String) -> Pass? {
    let found = pass(of: head, takesCookie: takesCookie)
    guard let id = found?.signIn, let role = found?.token?.role,
      let cookie = cookies(of: head).first(where: { $0.id == id })
    else { return found }
    signIns.note(cookie, role, from: address, at: wallTime())
    return found
  }

  private func cookies(of head: RequestHead) -> [SessionCookie] {
    head.cookies(named: cookieName).compactMap { SessionCookie(text: $0) }.filter { !signIns.isEnded($0) }
  }

  private func pass(of head: RequestHead, takesCookie: Bool) -> Pass? {
    guard !tokens.isEmpty else { return Pass(greatestRole) }
    let brought = head.tokens.map { Array($0.utf8) }
    let cookies = takesCookie ? cookies(of: head) : []
    let now = cookies.isEmpty ? 0 : wallTime()
    var best: AccessToken?
    var signIn: String?
    // Compare every token with all credentials, so that the duration reveals nothing about them.
    for token in tokens {
      var isRight = false
      var cookieOfToken: String?
      for text in brought where Cryptography.areEqual(text, Array(token.text.utf8)) { isRight = true }
      for cookie in cookies where cookie.isValid(for: token, at: now) { cookieOfToken = cookie.id }
      guard isRight || cookieOfToken != nil, best.map({ $0.role < token.role }) ?? true else { continue }
      best = token
      // A token that was sent itself does not depend on a sign-in.
      signIn = isRight ? nil : cookieOfToken
    }
    return best.map { Pass(min($0.role, greatestRole), $0, signIn: signIn) }
  }

  private var greatestRole: Role { isReadOnly ? .viewer : .operator }

  // MARK: Changes at run time

  /// Replaces the accepted tokens; the counts of failures and the used codes stay.
  mutating func change(tokens: [AccessToken], isReadOnly: Bool) {
    self.tokens = tokens
    self.isReadOnly = isReadOnly
  }

  /// Returns the pass with its current role, or `nil` if its token is no longer accepted.
  func renew(_ pass: Pass) -> Pass? {
    guard !tokens.isEmpty else { return Pass(greatestRole, pass.token) }
    guard let token = pass.token, tokens.contains(token),
      pass.signIn.map({ signIns.isOver($0, at: wallTime()) }) != true
    else { return nil }
    return Pass(min(token.role, greatestRole), token, signIn: pass.signIn)
  }

  /// Ends a sign-in: its cookie is refused from now on.
  mutating func endSignIn(_ id: String, _ role: Role) { signIns.end(id, role, at: wallTime()) }

  /// Adds what the file of sign-ins holds.
  mutating func merge(_ others: SignIns) { signIns.merge(others, at: wallTime()) }

  // MARK: Browser sign-in

  /// Returns a code for the URL that the server prints; `nil` if no token is required.
  mutating func printedCode(bootTime: Int64) -> String? {
    tokens.max { $0.role < $1.role }.map { codes.print(for: $0, at: bootTime) }
  }

  enum Login: Equatable {
    /// Redirect to the page at this path, with a cookie where one is needed.
    case goOn(cookie: String?, path: String = "/")
    case refuse(status: Int, reason: String)
  }

  /// Exchanges a login code for a cookie.
  ///
  /// For HEAD it returns the result that GET would have, but sets no cookie and leaves the code
  /// valid.
  mutating func login(
    _ code: String, _ head: RequestHead, from address: String, at now: Instant, bootTime: Int64
  ) -> Login {
    guard head.method == .head else { return use(code, head, from: address, at: now, bootTime: bootTime) }
    let (codesBefore, signInsBefore) = (codes, signIns)
    let login = use(code, head, from: address, at: now, bootTime: bootTime)
    (codes, signIns) = (codesBefore, signInsBefore)
    if case .goOn = login { return .goOn(cookie: nil) }
    return login
  }

  private mutating func use(
    _ code: String, _ head: RequestHead, from address: String, at now: Instant, bootTime: Int64
  ) -> Login {
    guard !tokens.isEmpty else { return .goOn(cookie: nil) }
    if let token = codes.use(code, of: tokens, from: FailureLimiter.network(of: address), at: bootTime) {
      // The cookie prefix `__Host-` requires the path `/`.
      let path = isSecure ? "/" : Room.path(of: token)
      let attributes = "Path=\(path); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
      let cookie = SessionCookie(of: token, at: wallTime())
      signIns.note(cookie, token.role, from: address, at: wallTime())
      return .goOn(cookie: "\(cookieName)=\(cookie.text); \(attributes)", path: path)
    }
    // A client that is signed in may open the link again.
    if role(of: head) != nil { return .goOn(cookie: nil) }
    guard failures.noteFailure(from: address, at: now) else {
      return .refuse(status: 429, reason: "Too many wrong codes; wait a second.")
    }
    return .refuse(
      status: 403,
      reason: "This link was used before, or is older than two minutes. "
        + "Run `rowcast url` on the server and open the link it prints.")
  }
}
