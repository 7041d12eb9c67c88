/// The secret path under which a browser sends its cookie, `/at/NAME/`, and under which everything is
/// served a second time.
///
/// Browsers send a cookie to every port of its host. A cookie that is limited to a path is sent only
/// with requests for that path, and servers on other ports are not asked for it. The page keeps the
/// name in `localStorage`, which belongs to one port.
enum Room {
  private static let prefix = "/at/"
  /// The number of characters of a name: 256 bits in base64url.
  private static let nameLength = 43

  /// The path of a token's room. The server derives it again after a restart.
  static func path(of token: AccessToken) -> String {
    let name = Cryptography.code(Array("rowcast room".utf8), key: Array(token.text.utf8))
    return "\(prefix)\(Base64URL.encode(name))/"
  }

  /// A path without the room in front of it.
  static func strip(_ path: String) -> String {
    guard path.hasPrefix(prefix) else { return path }
    let rest = path.utf8.dropFirst(prefix.utf8.count)
    guard let end = rest.firstIndex(of: UInt8(ascii: "/")) else { return path }
    let name = rest[..<end]
    guard name.count == nameLength, Base64URL.decode(Substring(name)) != nil else { return path }
    return String(path[end...])
  }
}
