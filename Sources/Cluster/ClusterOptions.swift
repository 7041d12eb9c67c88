/// The options of a connection to NATS, and the sizes of what is stored there.
package struct ClusterOptions: Hashable, Sendable {
  /// The URL, such as `nats://127.0.0.1:4222`.
  package var url: String
  /// The file with the user's credentials; `nil` for none.
  package var credentials: String?
  /// The file with the certificates of authorities; `nil` for those of the system.
  package var authorities: String?
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

  /// Whether the text is a URL of a NATS server.
  package static func isURL(_ text: String) -> Bool {
    guard let scheme = ["nats://", "tls://"].first(where: { text.hasPrefix($0) }) else { return false }
    return text.count > scheme.count && !text.contains(where: \.isWhitespace)
  }
}
