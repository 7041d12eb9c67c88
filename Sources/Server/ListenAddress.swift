/// Where a server listens: the loopback, and nothing else in this version.
///
/// Another address needs a token and transport security first.
public enum ListenAddress: String, CaseIterable, Sendable {
  /// 127.0.0.1
  case ipv4 = "127.0.0.1"
  /// ::1
  case ipv6 = "::1"

  /// The address as an operator writes it; `nil` for any that is not the loopback's.
  public init?(_ text: String) {
    switch text {
    case "127.0.0.1", "localhost": self = .ipv4
    case "::1", "[::1]": self = .ipv6
    default: return nil
    }
  }

  /// The address as it stands in a URL.
  public var host: String { self == .ipv6 ? "[::1]" : rawValue }
}
