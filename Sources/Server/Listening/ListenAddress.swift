import Glibc

/// The address of a server: an IP address of this machine, or a Unix socket.
///
/// Host names are not resolved.
public enum ListenAddress: Hashable, Sendable {
  /// An IPv4 address, such as `127.0.0.1`, or `0.0.0.0` for all.
  case ipv4(String)
  /// An IPv6 address without brackets, such as `::1`, or `::` for all, including IPv4 addresses.
  case ipv6(String)
  /// The path of a Unix socket, which only its owner may open.
  case unix(String)

  /// The address 127.0.0.1.
  public static let loopback = ListenAddress.ipv4("127.0.0.1")

  /// Parses an address; returns `nil` unless it is an IP address or `localhost`.
  public init?(_ text: String) {
    if text == "localhost" {
      self = .loopback
    } else if let address = Self.canonical(text, AF_INET) {
      self = .ipv4(address)
    } else {
      let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
      guard let address = Self.canonical(isBracketed ? String(text.dropFirst().dropLast()) : text, AF_INET6) else {
        return nil
      }
      self = .ipv6(address)
    }
  }

  private static func canonical(_ text: String, _ family: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(family, text, &bytes) == 1 else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether only this machine can reach the address.
  public var isLocal: Bool { self == .loopback || self == .ipv6("::1") || isUnix }

  var isUnix: Bool {
    if case .unix = self { return true }
    return false
  }

  /// Whether the address stands for every address of the machine.
  var isWildcard: Bool { self == .ipv4("0.0.0.0") || self == .ipv6("::") }

  /// The host part of a URL; the loopback address if the address stands for all.
  public var host: String {
    switch self {
    case .ipv4(let address): isWildcard ? "127.0.0.1" : address
    case .ipv6(let address): isWildcard ? "[::1]" : "[\(address)]"
    case .unix: "localhost"
    }
  }

  /// Returns the address with its port, for messages.
  func name(port: Int) -> String {
    switch self {
    case .ipv4(let address): "\(address):\(port)"
    case .ipv6(let address): "[\(address)]:\(port)"
    case .unix(let path): path
    }
  }
}
