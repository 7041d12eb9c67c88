import ListEngine

/// What goes on in the server, for a page that wants to see it; docs/protocol.md, section 5, says what each means.
public struct ServerStats: Hashable, Sendable {
  /// How long something took, in milliseconds.
  public struct Delay: Hashable, Sendable {
    /// Half of them took at most this.
    public var p50: Double
    /// Of a hundred ninety-nine took at most this.
    public var p99: Double
    /// Of how many these are the quantiles.
    public var count: Int

    /// These quantiles of so many.
    public init(p50: Double, p99: Double, count: Int) { (self.p50, self.p99, self.count) = (p50, p99, count) }
  }

  /// What one source says.
  public struct Source: Hashable, Sendable {
    /// Its table's name.
    public var table: String
    /// How many rows its table has.
    public var rows: Int
    /// How many rows a second it tells; `nil` when nobody has counted for a while yet.
    public var changes: Double?
    /// The restrictions in force for its program, for people; `nil` where it has no program of its own.
    public var isolation: String?

    /// What a source says of its table.
    public init(table: String, rows: Int, changes: Double?) {
      (self.table, self.rows, self.changes) = (table, rows, changes)
    }
  }

  /// The page's least time between two patches now.
  public var interval: Duration
  /// How many changes a flush carries; `nil` when there was none.
  public var coalescing: Double?
  /// From a source's hand-over to the socket, of the page's table; `nil` when nothing was sent.
  public var delay: Delay?
  /// What became of the loads of the page's table, since the start.
  public var prefetch = PrefetchCounters()
  /// Places for section headers that were made, since the start.
  public var headersMade: UInt64 = 0
  /// How often one was used again.
  public var headersReused: UInt64 = 0
  /// How many pages are connected.
  public var sessions = 0
  /// All sources, in the order of their tables.
  public var sources: [Source] = []

  /// Nothing but the interval.
  public init(interval: Duration) { self.interval = interval }
}

extension JSONWriter {
  mutating func stats(_ stats: ServerStats) {
    raw("{\"type\":\"stats\",\"interval\":")
    milliseconds(ofNanoseconds: stats.interval.nanoseconds)
    raw(",\"coalescing\":")
    rounded(stats.coalescing)
    raw(",\"delay\":")
    if let delay = stats.delay {
      raw("{\"p50\":")
      rounded(delay.p50)
      raw(",\"p99\":")
      rounded(delay.p99)
      raw(",\"count\":")
      integer(delay.count)
      byte("}")
    } else {
      raw("null")
    }
    raw(",\"prefetch\":{\"loads\":")
    integer(stats.prefetch.loads)
    raw(",\"hits\":")
    integer(stats.prefetch.hits)
    raw(",\"late\":")
    integer(stats.prefetch.late)
    raw(",\"cancelled\":")
    integer(stats.prefetch.cancels)
    raw(",\"wasted\":")
    integer(stats.prefetch.wasted)
    raw(",\"failed\":")
    integer(stats.prefetch.failures)
    raw("},\"headers\":{\"made\":")
    unsigned(stats.headersMade)
    raw(",\"reused\":")
    unsigned(stats.headersReused)
    raw("},\"sessions\":")
    integer(stats.sessions)
    raw(",\"sources\":[")
    for (place, source) in stats.sources.enumerated() {
      if place > 0 { byte(",") }
      raw("{\"table\":")
      text(source.table)
      raw(",\"rows\":")
      integer(source.rows)
      raw(",\"changes\":")
      rounded(source.changes)
      if let isolation = source.isolation {
        raw(",\"isolation\":")
        text(isolation)
      }
      byte("}")
    }
    raw("]")
  }

  /// For people: two decimals.
  private mutating func rounded(_ value: Double?) {
    guard let value, value.isFinite else { return raw("null") }
    number((value * 100).rounded() / 100)
  }
}
