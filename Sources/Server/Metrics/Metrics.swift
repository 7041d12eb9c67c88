import ListEngine
import Wire

/// What the server counts beside what the engine does.
struct Metrics {
  /// Pages that ever connected.
  var sessions: UInt64 = 0
  var patches: UInt64 = 0
  var messagesSent: UInt64 = 0
  var messagesReceived: UInt64 = 0
  var bytesSent: UInt64 = 0
  /// Connections that were more than are taken in a second.
  var turnedAway: UInt64 = 0
  /// Tables taken away as files.
  var downloads: UInt64 = 0
  /// Those of them that were given up because they were read too slowly, or for too long.
  var downloadsGivenUp: UInt64 = 0
  /// How often a page that said too much was not listened to for a while.
  var pauses: UInt64 = 0
  /// Queries in whose place another one came in the same turn.
  var queriesOvertaken: UInt64 = 0
  /// Requests and upgrades refused, by status.
  var refusals: [Int: UInt64] = [:]
  var encoding = EncodingCounts()
  /// How long turns of the loop took.
  var turns = Histogram()
  /// How long patches took from being cut to being handed over to the system as a whole.
  var flushes = Histogram()
  /// How long what sources handed in took until a page's socket had it.
  var delays = Histogram()
}

/// What the server counts of one source.
struct SourceMetrics {
  var changes: UInt64 = 0
  /// How often it said its schema again, as one that has started anew does.
  var restarts: UInt64 = 0
  private var hasSchema = false

  mutating func note(_ event: SourceInlet.Event) {
    switch event {
    case .schema:
      if hasSchema { restarts += 1 }
      hasSchema = true
    case .changes(let changes): self.changes += UInt64(changes.count)
    case .columnsAdded, .state, .loaded, .notLoaded, .forget, .page, .sections, .pageFailed, .sourceChanged, .image,
      .acted:
      break
    }
  }
}
