import ListEngine

/// Statistics of the server for one client, described in docs/protocol.md, section 5.
public struct ServerStats: Hashable, Sendable {
  /// Quantiles of a delay, in milliseconds.
  public struct Delay: Hashable, Sendable {
    /// The median.
    public var p50: Double
    /// The 99th percentile.
    public var p99: Double
    /// The number of measurements.
    public var count: Int

    /// Creates quantiles of `count` measurements.
    public init(p50: Double, p99: Double, count: Int) { (self.p50, self.p99, self.count) = (p50, p99, count) }
  }

  /// Statistics of one source.
  public struct Source: Hashable, Sendable {
    /// The name of the source's table.
    public var table: String
    /// The number of rows in the table.
    public var rows: Int
    /// The number of changed rows per second; `nil` until it has been measured.
    public var changes: Double?
    /// A description of the restrictions in force for the source's program; `nil` without a
    /// program.
    public var isolation: String?

    /// Creates statistics without a description of restrictions.
    public init(table: String, rows: Int, changes: Double?) {
      (self.table, self.rows, self.changes) = (table, rows, changes)
    }
  }

  /// The current minimum interval between two patches to the client.
  public var interval: Duration
  /// The average number of changes per flush; `nil` before the first flush.
  public var coalescing: Double?
  /// The delay from the source's delivery to the socket for the client's table; `nil` before the
  /// first message.
  public var delay: Delay?
  /// The prefetch counters of the client's table since the start.
  public var prefetch = PrefetchCounters()
  /// The number of section header slots created since the start.
  public var headersMade: UInt64 = 0
  /// The number of times a section header slot was reused.
  public var headersReused: UInt64 = 0
  /// The number of connected clients.
  public var sessions = 0
  /// All sources in the order of their tables.
  public var sources: [Source] = []

  /// Creates statistics that contain only the interval.
  public init(interval: Duration) { self.interval = interval }
}

extension JSONWriter {
  mutating func stats(_ stats: ServerStats) {
    beginObject()
    type("stats")
    name("interval")
    milliseconds(ofNanoseconds: stats.interval.nanoseconds)
    name("coalescing")
    rounded(stats.coalescing)
    name("delay")
    if let delay = stats.delay {
      object {
        $0.name("p50")
        $0.rounded(delay.p50)
        $0.name("p99")
        $0.rounded(delay.p99)
        $0.member("count", delay.count)
      }
    } else {
      raw("null")
    }
    member("prefetch") {
      $0.member("loads", stats.prefetch.loads)
      $0.member("hits", stats.prefetch.hits)
      $0.member("late", stats.prefetch.late)
      $0.member("cancelled", stats.prefetch.cancels)
      $0.member("wasted", stats.prefetch.wasted)
      $0.member("failed", stats.prefetch.failures)
    }
    member("headers") {
      $0.member("made", stats.headersMade)
      $0.member("reused", stats.headersReused)
    }
    member("sessions", stats.sessions)
    member("sources", stats.sources) { writer, source in
      writer.object {
        $0.member("table", source.table)
        $0.member("rows", source.rows)
        $0.name("changes")
        $0.rounded(source.changes)
        if let isolation = source.isolation { $0.member("isolation", isolation) }
      }
    }
  }

  /// Appends a number rounded to two decimals, or `null` if it is missing or not finite.
  private mutating func rounded(_ value: Double?) {
    guard let value, value.isFinite else { return raw("null") }
    number((value * 100).rounded() / 100)
  }
}
