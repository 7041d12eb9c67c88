/// The facets or tiles of a table, in order of creation.
///
/// Those without clients are kept for a while, so that a client that comes back finds them.
final class CountPool<Count: SharedCount> {
  /// A count of a client: the one that it shares, or the reason for its refusal.
  enum Entry {
    case shared(Count)
    case refused(ClientError)
  }

  private(set) var counts: [Count] = []
  /// The time for which a count without clients is kept.
  private let rest: Duration

  init(rest: Duration) { self.rest = rest }

  /// The number of counts that clients show, and of those kept for a while.
  var numbers: (watched: Int, resting: Int) {
    let watched = counts.count { $0.watchers > 0 }
    return (watched, counts.count - watched)
  }

  // MARK: Clients

  /// Returns an entry for each request of a client, and holds the counts.
  ///
  /// - Parameters:
  ///   - own: The counts of all clients with the same owner.
  ///   - body: Returns the count of a request with ``take(_:own:share:most:_:)``.
  func entries<Request>(
    _ requests: some Sequence<Request>, own: Set<ObjectIdentifier>,
    _ body: (Request, _ index: Int, _ own: Set<ObjectIdentifier>) throws(ClientError) -> Count
  ) -> [Entry] {
    var own = own
    var entries: [Entry] = []
    for (index, request) in requests.enumerated() {
      do throws(ClientError) {
        let count = try body(request, index, own)
        own.insert(ObjectIdentifier(count))
        count.watchers += 1
        count.unwatchedSince = nil
        entries.append(.shared(count))
      } catch {
        entries.append(.refused(error))
      }
    }
    return entries
  }

  /// Returns the first count that fits, or a new one.
  ///
  /// - Parameters:
  ///   - own: The counts of all clients with the same owner.
  ///   - share: The maximum number of counts for one owner.
  ///   - most: The maximum number of counts.
  /// - Throws: ``ClientError`` if a limit is reached, and the error of `make`.
  func take(
    _ fits: (Count) -> Bool, own: Set<ObjectIdentifier>, share: Int, most: Int,
    _ make: () throws(ClientError) -> Count
  ) throws(ClientError) -> Count {
    let found = counts.first(where: fits)
    guard found != nil || numbers.watched < most else {
      throw .tooManyViews("clients look at \(most) different \(Count.plural) of this table already: remove one")
    }
    guard found.map({ own.contains(ObjectIdentifier($0)) }) ?? false || own.count < share else {
      throw .tooManyViews(
        "the clients of one token look at \(share) different \(Count.plural) of this table already: remove one")
    }
    if let found { return found }
    let count = try make()
    if counts.count >= most, let oldest = counts.firstIndex(where: { $0.watchers == 0 }) {
      counts.remove(at: oldest)
    }
    counts.append(count)
    return count
  }

  /// The error for a count that the table has too many rows for.
  static var takesTooMuch: ClientError {
    .tooManyViews("the \(Count.plural) of this table take all the memory that they may: remove one")
  }

  /// Returns the identities of the shared counts in these entries.
  static func identities(_ entries: some Sequence<Entry>) -> Set<ObjectIdentifier> {
    var identities: Set<ObjectIdentifier> = []
    for case .shared(let count) in entries { identities.insert(ObjectIdentifier(count)) }
    return identities
  }

  /// Releases the counts of a client.
  func release(_ entries: [Entry], at now: Instant) {
    for case .shared(let count) in entries {
      count.watchers -= 1
      if count.watchers == 0 { count.unwatchedSince = now }
    }
  }

  // MARK: Changes

  /// The greatest number of changes that a count has not applied.
  var backlog: Int { counts.lazy.map(\.backlog).max() ?? 0 }

  /// Shortens the need for the log: counts that are too far behind are dropped, or count all rows
  /// again. Returns whether one counts again.
  func shorten(longest: Int) -> Bool {
    counts.removeAll { $0.watchers == 0 && $0.backlog > 0 }
    let late = counts.filter { $0.backlog > longest }
    for count in late { count.restart() }
    return !late.isEmpty
  }

  // MARK: Time

  /// Removes the counts that were without clients for long enough.
  func removeRested(at now: Instant) {
    counts.removeAll { count in count.unwatchedSince.map { $0 > now || $0.duration(to: now) >= rest } ?? false }
  }

  /// The time at which the next count is removed, or `nil` if all have clients.
  var nextRemoval: Instant? { counts.lazy.compactMap { $0.unwatchedSince?.advanced(by: self.rest) }.min() }
}
