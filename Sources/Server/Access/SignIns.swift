import Wire

/// The browsers that have signed in, and those whose sign-in was ended before it expired.
///
/// It is bounded. When ended sign-ins have to be forgotten, all that are as old as they are end
/// with them.
public struct SignIns: Hashable, Sendable {
  /// One sign-in.
  public struct Entry: Hashable, Sendable {
    /// The public name: eight characters that do not sign a client in.
    public var id: String
    /// The role of the token that it was made with.
    public var role: Role
    /// The time of the sign-in, in milliseconds since 1970.
    public var signedInAt: Int64
    /// The time of the last use, exact to ``SignIns/grain``.
    public var seenAt: Int64
    /// The client address of the last use.
    public var address: String
    /// Whether the user or an operator has ended it.
    public var isEnded = false
  }

  /// The precision of ``Entry/seenAt`` in milliseconds: each new time is written to a file.
  static let grain: Int64 = 600_000
  /// The maximum number of entries.
  static let greatestCount = 10_000

  private var entries: [String: Entry] = [:]
  /// Sign-ins before this time have ended.
  private(set) var endedBefore = Int64.min

  /// No sign-ins.
  public init() {}

  /// All entries, the latest use first.
  public var all: [Entry] { entries.values.sorted { ($1.seenAt, $0.id) < ($0.seenAt, $1.id) } }

  /// Whether a sign-in was ended.
  func isEnded(_ cookie: SessionCookie) -> Bool {
    cookie.signedInAt < endedBefore || entries[cookie.id]?.isEnded == true
  }

  /// Whether the sign-in with this name was ended or has expired.
  func isOver(_ id: String, at now: Int64) -> Bool {
    guard let entry = entries[id] else { return false }
    return entry.isEnded || entry.signedInAt < endedBefore || SessionCookie.isExpired(entry.signedInAt, at: now)
  }

  /// Records the use of a sign-in.
  mutating func note(_ cookie: SessionCookie, _ role: Role, from address: String, at now: Int64) {
    if let known = entries[cookie.id], known.address == address, abs(now &- known.seenAt) < Self.grain { return }
    let isEnded = entries[cookie.id]?.isEnded ?? false
    insert(
      Entry(
        id: cookie.id, role: role, signedInAt: cookie.signedInAt, seenAt: now, address: address, isEnded: isEnded),
      at: now)
  }

  /// Ends a sign-in.
  ///
  /// - Returns: `false` if there is none with this name.
  @discardableResult public mutating func end(_ id: String) -> Bool {
    guard entries[id] != nil else { return false }
    entries[id]?.isEnded = true
    return true
  }

  /// Ends the sign-in of a client, also when it was forgotten: then it is recorded for as long as
  /// any cookie is valid.
  mutating func end(_ id: String, _ role: Role, at now: Int64) {
    guard !end(id) else { return }
    insert(Entry(id: id, role: role, signedInAt: now, seenAt: now, address: "", isEnded: true), at: now)
  }

  /// Ends all sign-ins up to now.
  public mutating func endAll(at now: Int64) {
    for id in entries.keys { entries[id]?.isEnded = true }
    endedBefore = max(endedBefore, now)
  }

  /// Adds what another process or an earlier run knows: a sign-in that has ended there has ended
  /// here.
  public mutating func merge(_ other: SignIns, at now: Int64) {
    endedBefore = max(endedBefore, other.endedBefore)
    for entry in other.all {
      var merged = entry
      if let own = entries[entry.id] {
        merged = own.seenAt >= entry.seenAt ? own : entry
        merged.isEnded = own.isEnded || entry.isEnded
      }
      insert(merged, at: now)
    }
  }

  private mutating func insert(_ entry: Entry, at now: Int64) {
    entries[entry.id] = entry
    guard entries.count > Self.greatestCount else { return }
    entries = entries.filter { !SessionCookie.isExpired($0.value.signedInAt, at: now) }
    guard entries.count > Self.greatestCount else { return }
    // Those in use are known by their cookies, and come back with their next use.
    entries = entries.filter { $0.value.isEnded || $0.key == entry.id }
    while entries.count > Self.greatestCount / 2, let oldest = entries.values.min(by: { $0.signedInAt < $1.signedInAt })
    {
      entries[oldest.id] = nil
      endedBefore = max(endedBefore, oldest.signedInAt &+ 1)
    }
  }

  // MARK: As a text

  private static let head = """
    # The browsers that have signed in to a server; `rowcast sessions` lists and ends them.
    # ID ROLE SIGNED-IN-AT LAST-SEEN-AT STATE ADDRESS, times in milliseconds since 1970

    """

  /// The entries, one on a line.
  var text: String {
    var text = Self.head
    if endedBefore > .min { text += "ended-before \(endedBefore)\n" }
    for entry in all {
      text += "\(entry.id) \(entry.role.rawValue) \(entry.signedInAt) \(entry.seenAt) "
      text += "\(entry.isEnded ? "ended" : "active") \(entry.address)\n"
    }
    return text
  }

  /// Reads entries that have not expired; lines that are none are skipped.
  init(text: String, at now: Int64) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 5).map(String.init)
      if words.count == 2, words[0] == "ended-before", let time = Int64(words[1]) {
        endedBefore = max(endedBefore, time)
      }
      guard words.count == 6, let role = Role(rawValue: words[1]), let signedInAt = Int64(words[2]),
        let seenAt = Int64(words[3]), Base64.url.decode(words[0])?.count == 6,
        !SessionCookie.isExpired(signedInAt, at: now)
      else { continue }
      insert(
        Entry(
          id: words[0], role: role, signedInAt: signedInAt, seenAt: seenAt, address: words[5],
          isEnded: words[4] == "ended"),
        at: now)
    }
  }
}
