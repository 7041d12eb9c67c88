@testable import Server

extension AccessToken {
  /// A cookie of a browser that signs in with the token now.
  var cookie: String { SessionCookie(of: self, at: WallClock.milliseconds).text }
}
