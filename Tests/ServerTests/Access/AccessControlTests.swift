import Glibc
import ListEngine
import Testing
import Wire

@testable import Server

/// Tests of authentication, roles and the limit on failures.
@Suite struct AccessControlTests {
  private let keeper = AccessToken(role: .operator)
  private let guest = AccessToken(role: .viewer)
  private static let start = Instant(nanoseconds: 1_000_000_000)
  /// A time in milliseconds of the boot clock.
  private static let day: Int64 = 1_700_000_000_000

  private func control(isReadOnly: Bool = false, isSecure: Bool = false, at bootTime: Int64 = day) -> AccessControl {
    AccessControl(
      tokens: [keeper, guest], port: 7777, isReadOnly: isReadOnly, isSecure: isSecure, at: Self.start,
      bootTime: bootTime)
  }

  private func head(
    _ authorization: [String] = [], subprotocols: [String] = [], cookie: [String] = [], origin: [String] = []
  ) -> RequestHead {
    var head = RequestHead(method: .get, path: "/ws")
    head.authorization = authorization
    head.subprotocols = subprotocols
    head.cookie = cookie
    head.origin = origin
    return head
  }

  // MARK: Tokens

  @Test func `tokens are unique and have 256 bits`() {
    let tokens = (0..<100).map { _ in AccessToken(role: .viewer) }
    #expect(Set(tokens.map(\.text)).count == 100)
    for token in tokens {
      #expect(Base64.url.decode(token.text)?.count == 32)
      #expect(AccessToken(role: .viewer, text: token.text) == token)
    }
  }

  @Test func `accepts tokens of 43 to 200 URL-safe characters`() {
    func isToken(_ text: String) -> Bool { AccessToken(role: .viewer, text: text) != nil }
    #expect(!isToken(String(repeating: "x", count: 42)))
    #expect(isToken(String(repeating: "x", count: 43)))
    #expect(isToken(String(repeating: "x", count: 200)))
    #expect(!isToken(String(repeating: "x", count: 201)))
    for character in [" ", ",", ";", "\"", "\r", "\n", "\u{0}", "ä", "=", "/"] {
      #expect(!isToken(String(repeating: "x", count: 50) + character), "\(character.debugDescription)")
    }
  }

  @Test func `descriptions, cookies and login codes omit the token`() {
    for text in ["\(keeper)", String(describing: [keeper]), String(reflecting: keeper.description)] {
      #expect(!text.contains(keeper.text))
    }
    #expect(!keeper.cookie.contains(keeper.text))
    #expect(!keeper.loginCode(at: Self.day).contains(keeper.text))
  }

  @Test func `a token in a header or subprotocol grants its role`() {
    let control = control()
    #expect(control.role(of: head(["Bearer \(keeper.text)"])) == .operator)
    #expect(control.role(of: head(["bearer  \(guest.text) "])) == .viewer)
    #expect(control.role(of: head(subprotocols: ["rowcast.v1, rowcast.token.\(keeper.text)"])) == .operator)
    #expect(control.role(of: head(subprotocols: ["rowcast.token.\(guest.text),rowcast.v1"])) == .viewer)
    #expect(control.role(of: head(["Bearer \(guest.text)"], cookie: ["rowcast-7777=\(keeper.cookie)"])) == .operator)
  }

  @Test func `wrong tokens, malformed headers and cookies grant no role`() {
    let control = control()
    let text = keeper.text
    for wrong in [
      [], [""], ["Bearer"], ["Bearer "], [text], ["Basic \(text)"], ["Bearer \(text)x"], ["Bearer \(text.dropLast())"],
      ["Bearer x\(text)"], ["Bearer \(text.uppercased())"], ["Bearer \(keeper.cookie)"], ["Token \(text)"],
      ["Bearer \(text)", "Bearer \(text)"], ["Bearer \(text) \(text)"], ["Bearer\(text)"], ["Bearer \(text)\u{0}"],
    ] {
      #expect(control.role(of: head(wrong)) == nil, "\(wrong.count)")
    }
    for wrong in [
      "rowcast.token.", "rowcast.token.\(text)x", "rowcast.token.\(keeper.cookie)", "ROWCAST.TOKEN.\(text)", text,
      "rowcast.token.\(text), rowcast.token.\(text)", "rowcast.token.\(guest.text), rowcast.token.\(text)",
    ] {
      #expect(control.role(of: head(subprotocols: [wrong])) == nil, "\(wrong.prefix(20))")
    }
    for wrong in [
      "rowcast-7777=", "rowcast-7777=\(text)", "rowcast-7778=\(keeper.cookie)", "rowcast=\(keeper.cookie)",
      "Rowcast-7777=\(keeper.cookie)", "xrowcast-7777=\(keeper.cookie)", "rowcast-7777=\(keeper.cookie)x",
      "rowcast-7777=\"\(keeper.cookie)\"", "__Host-rowcast-7777=\(keeper.cookie)", keeper.cookie,
    ] {
      #expect(control.role(of: head(cookie: [wrong])) == nil, "\(wrong.prefix(20))")
    }
  }

  @Test func `a cookie authorizes an upgrade only with an Origin header`() {
    var control = control()
    let value = SessionCookie(of: guest, at: WallClock.milliseconds)
    let cookie = ["theme=dark; rowcast-7777=\(value.text); rowcast-9000=abc"]
    #expect(control.role(of: head(cookie: cookie)) == .viewer)
    #expect(
      control.verdict(onPage: head(cookie: cookie), from: "a", at: Self.start)
        == .allow(AccessControl.Pass(.viewer, guest, signIn: value.id)))
    let withOrigin = head(cookie: cookie, origin: ["http://127.0.0.1:7777"])
    #expect(
      control.verdict(onUpgrade: withOrigin, from: "a", at: Self.start)
        == .allow(AccessControl.Pass(.viewer, guest, signIn: value.id)))
    #expect(control.signIns.all.map(\.id) == [value.id])
    // The token itself does not depend on a sign-in.
    let both = head(["Bearer \(guest.text)"], cookie: cookie)
    #expect(control.verdict(onPage: both, from: "a", at: Self.start) == .allow(AccessControl.Pass(.viewer, guest)))
    let refusal = control.verdict(onUpgrade: head(cookie: cookie), from: "a", at: Self.start)
    guard case .refuse(401, _) = refusal else { return #expect(Bool(false), "\(refusal)") }
  }

  @Test func `checks the first four cookies of the same name`() {
    let control = control()
    for (before, role) in [(3, Role.viewer), (4, nil)] {
      let wrong = String(repeating: "rowcast-7777=wrong; ", count: before)
      #expect(control.role(of: head(cookie: ["\(wrong)rowcast-7777=\(guest.cookie)"])) == role, "\(before)")
    }
  }

  @Test func `a read-only server grants no role above viewer`() {
    #expect(control(isReadOnly: true).role(of: head(["Bearer \(keeper.text)"])) == .viewer)
    #expect(control(isReadOnly: true).role(of: head()) == nil)
    for (isReadOnly, role) in [(false, Role.operator), (true, .viewer)] {
      let open = AccessControl(
        tokens: [], port: 1, isReadOnly: isReadOnly, isSecure: false, at: Self.start, bootTime: Self.day)
      #expect(open.role(of: head()) == role)
    }
  }

  // MARK: Codes

  private func login(_ control: inout AccessControl, _ code: String, at bootTime: Int64, cookie: [String] = [])
    -> AccessControl.Login
  {
    control.login(code, head(cookie: cookie), from: "a", at: Self.start, bootTime: bootTime)
  }

  private func isLetIn(_ login: AccessControl.Login) -> Bool {
    if case .goOn(.some, _) = login { return true }
    return false
  }

  /// The `name=value` of the cookie that a login sets, if its other parts are these.
  private func cookie(
    _ login: AccessControl.Login, path: String, _ attributes: String = "HttpOnly; SameSite=Strict"
  ) -> String? {
    guard case .goOn(let cookie?, path) = login else { return nil }
    let parts = cookie.split(separator: ";", maxSplits: 1)
    return parts.last == " Path=\(path); \(attributes)" ? String(parts[0]) : nil
  }

  @Test func `a login code is valid once and sets a cookie`() throws {
    var control = control()
    let code = guest.loginCode(at: Self.day)
    let first = login(&control, code, at: Self.day)
    let room = Room.path(of: guest)
    let cookie = try #require(self.cookie(first, path: room))
    #expect(control.role(of: head(cookie: [cookie])) == .viewer)
    #expect(!isLetIn(login(&control, code, at: Self.day)))
    // A client that is signed in is redirected, without another cookie.
    let again = login(&control, code, at: Self.day, cookie: [cookie])
    #expect(again == .goOn(cookie: nil))
  }

  @Test func `a secure server sets a Secure cookie with the Host prefix`() throws {
    var control = control(isSecure: true)
    let first = login(&control, keeper.loginCode(at: Self.day), at: Self.day)
    let cookie = try #require(self.cookie(first, path: "/", "HttpOnly; SameSite=Strict; Secure"))
    #expect(cookie.hasPrefix("__Host-rowcast-7777="))
    #expect(control.role(of: head(cookie: [cookie])) == .operator)
  }

  @Test func `login codes expire after two minutes or a restart`() {
    let code = keeper.loginCode(at: Self.day)
    for (delay, isGood) in [(0, true), (120_000, true), (120_001, false), (-1, false), (-120_000, false)] {
      var control = control(at: Self.day - 1_000_000)
      #expect(isLetIn(login(&control, code, at: Self.day + Int64(delay))) == isGood, "\(delay) ms")
    }
    for (start, isGood) in [(0, true), (1, false)] {
      var control = control(at: Self.day + Int64(start))
      #expect(isLetIn(login(&control, code, at: Self.day + 10)) == isGood, "started \(start) ms later")
    }
  }

  @Test func `the last printed code does not expire, but is valid once`() {
    var control = control()
    let earlier = control.printedCode(bootTime: Self.day) ?? ""
    let printed = control.printedCode(bootTime: Self.day) ?? ""
    let later = Self.day + 1_000_000_000
    #expect(!isLetIn(login(&control, earlier, at: later)))
    let room = Room.path(of: keeper)
    #expect(cookie(login(&control, printed, at: later), path: room) != nil)
    #expect(!isLetIn(login(&control, printed, at: later)))
    // The printed code is also used up while it is recent enough to be valid like any other.
    let young = control.printedCode(bootTime: later) ?? ""
    #expect(isLetIn(login(&control, young, at: later)))
    #expect(!isLetIn(login(&control, young, at: later)))
  }

  @Test func `refuses changed, malformed and foreign login codes`() {
    let code = keeper.loginCode(at: Self.day)
    let bytes = Base64.url.decode(code)!
    for index in bytes.indices {
      var control = control()
      var changed = bytes
      changed[index] ^= 1
      #expect(!isLetIn(login(&control, Base64.url.text(of: changed), at: Self.day)), "byte \(index)")
    }
    for wrong in [
      "", "x", String(code.dropLast()), code + "A", code + "=", String(repeating: "A", count: 75), keeper.text,
    ] {
      var control = control()
      #expect(!isLetIn(login(&control, wrong, at: Self.day)), "\(wrong.count)")
    }
    var control = control()
    #expect(!isLetIn(login(&control, AccessToken(role: .operator).loginCode(at: Self.day), at: Self.day)))
  }

  @Test func `accepts at most 1,000 login codes of a token in two minutes`() {
    var codes = LoginCodes(at: Self.day)
    func isGood(_ token: AccessToken, from client: Int, at now: Int64) -> Bool {
      codes.use(token.loginCode(at: now), of: [keeper, guest], from: "\(client)", at: now) != nil
    }
    for number in 0..<LoginCodes.greatestCount {
      let isGood = isGood(guest, from: number / LoginCodes.greatestCountPerClient, at: Self.day)
      #expect(isGood, "\(number)")
    }
    let isOneMoreGood = isGood(guest, from: 1_000, at: Self.day)
    #expect(!isOneMoreGood)
    let isGoodAtTheEnd = isGood(guest, from: 1_000, at: Self.day + LoginCodes.lifetime)
    #expect(!isGoodAtTheEnd, "a code that could be used again is forgotten")
    let isGoodLater = isGood(guest, from: 1_000, at: Self.day + LoginCodes.lifetime + 1)
    #expect(isGoodLater)
  }

  @Test func `one client or token cannot use up the login codes of another`() {
    var codes = LoginCodes(at: Self.day)
    func isGood(_ token: AccessToken, from client: String) -> Bool {
      codes.use(token.loginCode(at: Self.day), of: [keeper, guest], from: client, at: Self.day) != nil
    }
    let accepted = (0..<200).filter { _ in isGood(guest, from: "a") }.count
    #expect(accepted == LoginCodes.greatestCountPerClient)
    let (isOtherClientGood, isOtherTokenGood) = (isGood(guest, from: "b"), isGood(keeper, from: "a"))
    #expect(isOtherClientGood)
    #expect(isOtherTokenGood)
    // Use up all codes of one token, from many clients.
    for number in 0..<2_000 { _ = isGood(guest, from: "\(number)") }
    let (isSpent, isKept) = (!isGood(guest, from: "c"), isGood(keeper, from: "c"))
    #expect(isSpent)
    #expect(isKept)
  }

  @Test func `login codes use the boot clock and depend on the boot ID`() throws {
    let before = BootClock.milliseconds
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let after = BootClock.milliseconds
    #expect((before...after).contains(Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000))
    // A code of another boot has a valid time but a wrong boot ID.
    #expect(BootClock.bootID.count >= 36)
    let code = try #require(LoginCode(text: keeper.loginCode(at: Self.day)))
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: Self.day >> (56 - 8 * $0)) }
    let mac = Cryptography.code(Array("rowcast code".utf8) + bytes + code.nonce, key: Array(keeper.text.utf8))
    let foreign = Base64.url.text(of: bytes + code.nonce + mac)
    var control = control()
    #expect(!isLetIn(login(&control, foreign, at: Self.day)))
  }

  // MARK: Failures

  @Test func `refuses 100,000 wrong tokens, then accepts the right one`() {
    var control = control()
    var refused = 0
    for round in 0..<100_000 {
      // The valid token with one character changed.
      var letters = Array(keeper.text.utf8)
      letters[round % letters.count] ^= UInt8(1 + round / letters.count % 15)
      let wrong = head(["Bearer \(String(decoding: letters, as: UTF8.self))"])
      if case .refuse = control.verdict(onPage: wrong, from: "a", at: Self.start) { refused += 1 }
    }
    #expect(refused == 100_000)
    #expect(
      control.verdict(onPage: head(["Bearer \(keeper.text)"]), from: "a", at: Self.start)
        == .allow(AccessControl.Pass(.operator, keeper)))
  }

  @Test func `wrong tokens in session requests count as failures`() {
    var control = control()
    let wrong = head(["Bearer \(AccessToken(role: .operator).text)"])
    for _ in 0..<5 {
      #expect(control.session(wrong, from: "a", at: Self.start) == .role(nil))
      guard case .refuse(status: 401, _) = control.verdict(onPage: wrong, from: "a", at: Self.start) else {
        Issue.record("it is not refused")
        return
      }
    }
    guard case .refuse(status: 429, _) = control.session(wrong, from: "a", at: Self.start) else {
      Issue.record("an eleventh wrong token is answered")
      return
    }
    #expect(control.session(wrong, from: "b", at: Self.start) == .role(nil))
    #expect(control.session(head(), from: "a", at: Self.start) == .role(nil))
    #expect(control.session(head(["Bearer \(keeper.text)"]), from: "a", at: Self.start) == .role(.operator))
  }

  @Test func `limits failures per address, and still accepts valid tokens`() {
    var control = control()
    func status(from address: String, after milliseconds: Int64) -> Int? {
      let now = Self.start.advanced(by: .milliseconds(milliseconds))
      guard case .refuse(let status, _) = control.verdict(onPage: head(), from: address, at: now) else { return nil }
      return status
    }
    #expect((0..<12).map { _ in status(from: "1.2.3.4", after: 0) } == Array(repeating: 401, count: 10) + [429, 429])
    #expect(status(from: "1.2.3.5", after: 0) == 401)
    #expect(status(from: "1.2.3.4", after: 99) == 429)
    #expect(status(from: "1.2.3.4", after: 100) == 401)
    #expect(status(from: "1.2.3.4", after: 100) == 429)
    #expect(
      control.verdict(onPage: head(["Bearer \(guest.text)"]), from: "1.2.3.4", at: Self.start)
        == .allow(AccessControl.Pass(.viewer, guest)))
  }

  @Test func `counts failures per IPv4 address or 64-bit IPv6 prefix`() {
    #expect(FailureLimiter.network(of: "1.2.3.4") == "1.2.3.4")
    #expect(FailureLimiter.network(of: "::ffff:1.2.3.4") == "1.2.3.4")
    #expect(FailureLimiter.network(of: "2001:db8::6") == FailureLimiter.network(of: "2001:db8:0:0:1::7"))
    #expect(FailureLimiter.network(of: "2001:db8:1:2::6") == FailureLimiter.network(of: "2001:db8:1:2:ffff::"))
    #expect(FailureLimiter.network(of: "2001:db8:1:3::6") != FailureLimiter.network(of: "2001:db8:1:2::6"))
    #expect(FailureLimiter.network(of: "::1") == "::1")
  }

  @Test func `addresses beyond 4,096 share one failure limit`() {
    var limiter = FailureLimiter(at: Self.start)
    let count = (0..<FailureLimiter.greatestCount).filter {
      limiter.noteFailure(from: "10.0.\($0 / 256).\($0 % 256)", at: Self.start)
    }.count
    #expect(count == FailureLimiter.greatestCount)
    // All further addresses share one bucket.
    let reported = (0..<100).filter { limiter.noteFailure(from: "11.0.0.\($0)", at: Self.start) }.count
    #expect(reported == FailureLimiter.burst)
    let isReportedLater = limiter.noteFailure(from: "12.0.0.1", at: Self.start.advanced(by: .seconds(2)))
    #expect(isReportedLater)
  }

  @Test func `digests match published test vectors`() {
    #expect(
      Cryptography.digest(Array("abc".utf8)).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
    #expect(
      Cryptography.code(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)).prefix(4)
        == [0x5B, 0xDC, 0xC1, 0x46])
  }
}
