import Foundation
import Wire

@testable import ListEngine

extension Golden {
  /// Creates the statistics that a golden message describes.
  static func stats(_ message: [String: Any]) throws -> ServerStats {
    guard let interval = message["interval"] as? Int, let sessions = message["sessions"] as? Int,
      let prefetch = message["prefetch"] as? [String: Int], let headers = message["headers"] as? [String: Int],
      let sources = message["sources"] as? [[String: Any]]
    else { throw Misfit(what: "the stats") }
    var stats = ServerStats(interval: .milliseconds(interval))
    stats.coalescing = message["coalescing"] as? Double
    if let delay = message["delay"] as? [String: Double] {
      stats.delay = ServerStats.Delay(p50: delay["p50"] ?? 0, p99: delay["p99"] ?? 0, count: Int(delay["count"] ?? 0))
    }
    stats.prefetch.loads = prefetch["loads"] ?? 0
    stats.prefetch.hits = prefetch["hits"] ?? 0
    stats.prefetch.late = prefetch["late"] ?? 0
    stats.prefetch.cancels = prefetch["cancelled"] ?? 0
    stats.prefetch.wasted = prefetch["wasted"] ?? 0
    stats.prefetch.failures = prefetch["failed"] ?? 0
    (stats.headersMade, stats.headersReused) = (UInt64(headers["made"] ?? 0), UInt64(headers["reused"] ?? 0))
    stats.sessions = sessions
    stats.sources = sources.map {
      var source = ServerStats.Source(
        table: $0["table"] as? String ?? "", rows: $0["rows"] as? Int ?? 0, changes: $0["changes"] as? Double)
      source.isolation = $0["isolation"] as? String
      return source
    }
    return stats
  }
}
