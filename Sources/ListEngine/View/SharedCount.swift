/// A count over the rows of a table that clients with equal queries share: a facet or a tile.
protocol SharedCount: AnyObject {
  /// The word for several of them in messages to clients.
  static var plural: String { get }
  /// The number of clients that show the count.
  var watchers: Int { get set }
  /// The time at which the last client left.
  var unwatchedSince: Instant? { get set }
  /// The number of changes not applied yet.
  var backlog: Int { get }
  /// Counts all rows again instead of applying a long log.
  func restart()
}
