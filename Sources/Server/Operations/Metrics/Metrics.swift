import ListEngine
import Wire

/// Counters of the server, in addition to those of the engine.
struct Metrics {
  /// The number of sessions since the start.
  var sessions: UInt64 = 0
  var patches: UInt64 = 0
  var messagesSent: UInt64 = 0
  var messagesReceived: UInt64 = 0
  var bytesSent: UInt64 = 0
  /// The number of connections rejected by the rate limit.
  var rejectedConnections: UInt64 = 0
  /// The number of exports.
  var exports: UInt64 = 0
  /// The number of exports aborted because the client read too slowly or for too long.
  var abandonedExports: UInt64 = 0
  /// The number of uploads of rows.
  var uploads: UInt64 = 0
  /// The number of bytes in the bodies of uploads.
  var uploadBytes: UInt64 = 0
  /// The number of rows of uploads that tables have taken.
  var uploadedRows: UInt64 = 0
  /// The number of rows of uploads that were left out.
  var rejectedRows: UInt64 = 0
  /// The number of times reading from a client was paused because it sent too many messages.
  var pauses: UInt64 = 0
  /// The number of queries replaced by another query of the same client within one turn.
  var queriesOvertaken: UInt64 = 0
  /// The number of refused requests and upgrades by HTTP status.
  var refusals: [Int: UInt64] = [:]
  var encoding = EncodingCounts()
  /// The durations of the event loop's turns.
  var turns = Histogram()
  /// The time from cutting a patch to handing all of it to the operating system.
  var flushes = Histogram()
  /// The time from a source's delivery to a client's socket.
  var delays = Histogram()
}

/// Counters of one source.
struct SourceMetrics {
  var changes: UInt64 = 0
  /// The number of times the source declared its schema again, as after a restart.
  var restarts: UInt64 = 0
  private var hasSchema = false

  mutating func note(_ event: SourceEvent) {
    switch event {
    case .schema:
      if hasSchema { restarts += 1 }
      hasSchema = true
    case .changes(let changes): self.changes += UInt64(changes.count)
    case .columnsAdded, .state, .loaded, .notLoaded, .forget, .page, .sections, .pageFailed, .sourceChanged, .image,
      .acted, .upload:
      break
    }
  }
}
