/// A URL under which browsers reach the server, such as that of a proxy in front of it.
public struct PublicURL: Hashable, Sendable, CustomStringConvertible {
  let isSecure: Bool
  /// The host as in a `Host` header, with the port if it is not the scheme's default.
  let host: String

  /// Parses `http://` or `https://` with a host, an optional port and an optional trailing `/`.
  public init?(_ text: String) {
    let rest: Substring
    if text.hasPrefix("https://") {
      (isSecure, rest) = (true, text.dropFirst(8))
    } else if text.hasPrefix("http://") {
      (isSecure, rest) = (false, text.dropFirst(7))
    } else {
      return nil
    }
    let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
    let name: Substring
    var port: Substring?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      name = authority[...end]
      guard case .ipv6(let address)? = ListenAddress(String(name)), "[\(address)]" == name else { return nil }
      let tail = authority[authority.index(after: end)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
      port = tail.isEmpty ? nil : tail.dropFirst()
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      name = parts.first ?? ""
      port = parts.count > 1 ? parts[1] : nil
      // Browsers send host names in lower case and in their ASCII form.
      let isPlain = name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
          UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      guard !name.isEmpty, name.utf8.count <= 253, isPlain else { return nil }
    }
    guard let port else {
      host = String(name)
      return
    }
    guard let number = UInt16(port), number > 0, "\(number)" == port else { return nil }
    host = number == (isSecure ? 443 : 80) ? String(name) : "\(name):\(number)"
  }

  var origin: String { "\(isSecure ? "https" : "http")://\(host)" }

  /// The URL as a browser opens it.
  public var description: String { "\(origin)/" }
}
