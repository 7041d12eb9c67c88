import Wire

/// A secret path prefix, `/at/NAME/`, to which a browser's cookie is limited.
///
/// All resources are also served under this prefix. Browsers send a cookie to every port of its
/// host, but a cookie with a path only with requests for that path. Servers on other ports
/// therefore do not receive it. The page stores the name in `localStorage`, which is separate for
/// each port.
enum Room {
  private static let prefix = "/at/"
  /// The number of characters of a name: 256 bits in base64url.
  private static let nameLength = 43

  /// Returns the path of a token's room, which stays the same after a restart.
  static func path(of token: AccessToken) -> String {
    let name = Cryptography.code(Array("rowcast room".utf8), key: Array(token.text.utf8))
    return "\(prefix)\(Base64.url.text(of: name))/"
  }

  /// Returns the path without the prefix of a room.
  static func strip(_ path: String) -> String {
    guard path.hasPrefix(prefix) else { return path }
    let rest = path.utf8.dropFirst(prefix.utf8.count)
    guard let end = rest.firstIndex(of: UInt8(ascii: "/")) else { return path }
    let name = rest[..<end]
    guard name.count == nameLength, Base64.url.decode(Substring(name)) != nil else { return path }
    return String(path[end...])
  }
}
