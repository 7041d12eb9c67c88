import Foundation
import Glibc
import Testing
import Wire

@testable import Server

/// Sign-ins of browsers: their cookies, their bounds, their file.
@Suite struct SignInsTests {
  private let token = AccessToken(role: .operator)
  private static let now: Int64 = 1_700_000_000_000
  private static let day: Int64 = 86_400_000

  // MARK: Cookies

  @Test func `a cookie is valid for 30 days, for its token only`() throws {
    let cookie = try #require(SessionCookie(text: SessionCookie(of: token, at: Self.now).text))
    for (age, isValid) in [
      (0, true), (30 * Self.day, true), (30 * Self.day + 1, false), (-300_000, true), (-300_001, false),
    ] {
      #expect(cookie.isValid(for: token, at: Self.now + age) == isValid, "\(age) ms")
    }
    #expect(!cookie.isValid(for: AccessToken(role: .operator), at: Self.now))
    #expect(cookie.id.utf8.count == 8 && !cookie.text.contains(token.text))
  }

  @Test func `a changed cookie is not valid`() throws {
    let bytes = try #require(Base64.url.decode(SessionCookie(of: token, at: Self.now).text))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      let cookie = SessionCookie(text: Base64.url.text(of: changed))
      #expect(cookie?.isValid(for: token, at: Self.now) == false, "byte \(index)")
    }
    for wrong in ["", "x", Base64.url.text(of: Array(bytes.dropLast())), Base64.url.text(of: bytes + [0])] {
      #expect(SessionCookie(text: wrong) == nil)
    }
    // The first and the last time that eight bytes can hold.
    for first: UInt8 in [0x80, 0x7F] {
      let extreme = [first] + Array(repeating: first == 0x80 ? 0 : 255, count: 7) + bytes[8...]
      #expect(SessionCookie(text: Base64.url.text(of: extreme))?.isValid(for: token, at: Self.now) == false)
      #expect(SessionCookie(text: Base64.url.text(of: extreme))?.isValid(for: token, at: .max) == false)
      #expect(SessionCookie(text: Base64.url.text(of: extreme))?.isValid(for: token, at: .min) == false)
    }
  }

  // MARK: Entries

  @Test func `an ended sign-in is remembered and merged`() {
    let (one, other) = (SessionCookie(of: token, at: Self.now), SessionCookie(of: token, at: Self.now))
    var (here, there) = (SignIns(), SignIns())
    here.note(one, .operator, from: "10.0.0.1", at: Self.now)
    here.note(other, .operator, from: "10.0.0.2", at: Self.now + 1)
    #expect(here.all.map(\.id) == [other.id, one.id] && !here.isEnded(one))
    #expect(!here.end("AAAAAAAA") && here.end(one.id))
    #expect(here.isEnded(one) && !here.isEnded(other) && here.isOver(one.id, at: Self.now))
    there.note(one, .operator, from: "10.0.0.9", at: Self.now + 5)
    there.merge(here, at: Self.now)
    #expect(there.isEnded(one) && !there.isEnded(other) && there.all.count == 2)
    #expect(there.all.first { $0.id == one.id }?.address == "10.0.0.9", "the latest use is kept")
    // A use does not bring it back.
    there.note(one, .operator, from: "10.0.0.9", at: Self.now + Self.day)
    #expect(there.isEnded(one))
  }

  @Test func `ending all sign-ins also ends unknown ones`() {
    var signIns = SignIns()
    signIns.endAll(at: Self.now)
    #expect(signIns.isEnded(SessionCookie(of: token, at: Self.now - 1)))
    #expect(!signIns.isEnded(SessionCookie(of: token, at: Self.now)))
  }

  @Test func `a forgotten sign-in can be ended`() {
    let cookie = SessionCookie(of: token, at: Self.now)
    var signIns = SignIns()
    signIns.end(cookie.id, .operator, at: Self.now)
    #expect(signIns.isEnded(cookie))
  }

  @Test func `the last use is exact to ten minutes`() {
    let cookie = SessionCookie(of: token, at: Self.now)
    var signIns = SignIns()
    signIns.note(cookie, .operator, from: "a", at: Self.now)
    for (delay, seen) in [(1, 0), (599_999, 0), (600_000, 600_000)] as [(Int64, Int64)] {
      signIns.note(cookie, .operator, from: "a", at: Self.now + delay)
      #expect(signIns.all.first?.seenAt == Self.now + seen)
    }
    signIns.note(cookie, .operator, from: "b", at: Self.now + 600_001)
    #expect(signIns.all.first?.seenAt == Self.now + 600_001, "another address is written at once")
  }

  @Test func `sign-ins are bounded, and ended ones stay ended`() {
    var signIns = SignIns()
    var cookies: [SessionCookie] = []
    for number in 0...SignIns.greatestCount {
      let cookie = SessionCookie(of: token, at: Self.now + Int64(number))
      signIns.note(cookie, .operator, from: "a", at: Self.now + Int64(number))
      signIns.end(cookie.id)
      cookies.append(cookie)
    }
    #expect(signIns.all.count <= SignIns.greatestCount)
    #expect(cookies.allSatisfy { signIns.isEnded($0) })
    // Sign-ins in use are forgotten first: their cookies stay valid.
    var active = SignIns()
    for number in 0...SignIns.greatestCount {
      active.note(cookies[number], .operator, from: "a", at: Self.now)
    }
    #expect(active.all.count < SignIns.greatestCount && !cookies.contains { active.isEnded($0) })
  }

  // MARK: The file

  private func withFile(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sign-ins-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "7777.token.sessions").path)
  }

  @Test func `processes share sign-ins through the file`() throws {
    try withFile { path in
      let cookie = SessionCookie(of: token, at: Self.now)
      var own = SignIns()
      own.note(cookie, .viewer, from: "fe80::1%eth0", at: Self.now)
      #expect(SignInFile.update(path, with: own, at: Self.now) == own)
      let listed = try #require(SignInFile.update(path, at: Self.now) { $0.end(cookie.id) })
      #expect(listed.isEnded(cookie) && listed.all.first?.role == .viewer)
      #expect(listed.all.first?.address == "fe80::1%eth0")
      let merged = try #require(SignInFile.update(path, with: own, at: Self.now))
      #expect(merged.isEnded(cookie))
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      // Those that have expired leave the file, which gets shorter.
      #expect(SignInFile.update(path, at: Self.now + 31 * Self.day)?.all.isEmpty == true)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.contains(cookie.id) && text == SignIns().text)
    }
  }

  @Test func `invalid lines of a sign-in file are skipped`() throws {
    let good = SignIns(
      text: "x\n# y\nended-before 5\nAAAAAAAA operator 1700000000000 1700000000001 active a\n"
        + "AAAAAAAB root 1700000000000 1700000000001 active a\nAAAAAAAC operator 1 x active a\n"
        + "AAA operator 1700000000000 1700000000001 active a\nended-before 99999999999999999999\n", at: Self.now)
    #expect(good.all.map(\.id) == ["AAAAAAAA"] && good.endedBefore == 5)
  }

  @Test func `a sign-in file with mode 0644 or behind a link is not used`() throws {
    try withFile { path in
      try "".write(toFile: path, atomically: false, encoding: .utf8)
      chmod(path, 0o644)
      #expect(SignInFile.update(path, at: Self.now) == nil)
      chmod(path, 0o600)
      #expect(SignInFile.update(path, at: Self.now) != nil)
      unlink(path)
      symlink("/dev/null", path)
      #expect(SignInFile.update(path, at: Self.now) == nil)
    }
  }
}
