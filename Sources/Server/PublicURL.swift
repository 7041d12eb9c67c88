/// An address under which browsers know the server: another name for it, or the one of a proxy in front of it.
public struct PublicURL: Hashable, Sendable, CustomStringConvertible {
  let isSecure: Bool
  /// The host and, where it is not the scheme's own, the port: as browsers write them in `Host`.
  let host: String

  /// `nil` for anything but `http://` or `https://`, a name or address, and perhaps a port; nothing behind it but one `/`.
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
      // As browsers write it: in small letters. Names in other scripts stand in their ASCII form.
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

  /// As it is opened.
  public var description: String { "\(origin)/" }
}
