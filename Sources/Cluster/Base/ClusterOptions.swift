/// The options of a connection to NATS, and the sizes of what is stored there.
package struct ClusterOptions: Hashable, Sendable {
  /// The URL, such as `nats://127.0.0.1:4222`, or several of the servers of a cluster with commas
  /// between them.
  package var url: String
  /// The file with the user's credentials; `nil` for none.
  package var credentials: String?
  /// The file with the certificates of authorities; `nil` for those of the system.
  package var authorities: String?
  /// The number of servers that store each stream and bucket.
  package var replicas = 1
  /// The size at which a table's stream drops its oldest messages, in bytes.
  package var retention = standardRetention
  /// The time between two snapshots of a table.
  package var snapshotInterval = standardSnapshotInterval

  /// The keys of the tables that are published.
  package var keys = PublishedKeys()

  /// The default of ``retention``.
  package static let standardRetention: Int64 = 256 << 20
  /// The default of ``snapshotInterval``.
  package static let standardSnapshotInterval = Duration.seconds(300)

  /// Creates the standard options for a URL.
  package init(url: String) { self.url = url }

  /// Whether the text is a URL of a NATS server, or of several.
  package static func isURL(_ text: String) -> Bool {
    guard let scheme = scheme(of: text) else { return false }
    let parts = text.dropFirst(scheme.count).split(separator: ",", omittingEmptySubsequences: false)
    return !text.contains(where: \.isWhitespace)
      && parts.allSatisfy { !address(of: String($0)).isEmpty && (!$0.contains("://") || $0.hasPrefix(scheme)) }
  }

  private static func scheme(of text: String) -> String? {
    ["nats://", "tls://"].first { text.hasPrefix($0) }
  }

  /// Returns the host and port of a URL.
  static func address(of url: String) -> String {
    var rest = url[...]
    if let scheme = scheme(of: url) { rest = rest.dropFirst(scheme.count) }
    if let end = rest.lastIndex(of: "@") { rest = rest[rest.index(after: end)...] }
    return String(rest.prefix { $0 != "/" })
  }

  /// The URLs of the servers. Those after the first one have its scheme, and its user if they name
  /// none.
  var servers: [String] {
    let scheme = Self.scheme(of: url) ?? "nats://"
    let parts = url.split(separator: ",").map { part in
      part.hasPrefix(scheme) ? String(part.dropFirst(scheme.count)) : String(part)
    }
    let user = parts.first.flatMap { first in first.lastIndex(of: "@").map { String(first[...$0]) } } ?? ""
    return parts.map { scheme + ($0.contains("@") ? $0 : user + $0) }
  }

  /// The URL without users and passwords, for messages.
  var publicURL: String {
    let scheme = Self.scheme(of: url) ?? "nats://"
    return scheme + servers.map { Self.address(of: $0) }.joined(separator: ",")
  }
}
