import ListEngine
import Logging

/// The counters, statistics and logs of a running server, and its reports to the service manager.
struct Operations {
  let logger: Logger
  /// The log for events that clients can cause at any rate.
  let clientLog: SourceLog
  var metrics = Metrics()
  var stats = StatsFeed()
  let systemManager: SystemManager?

  init(_ configuration: ServerConfiguration) {
    logger = configuration.logger
    clientLog = SourceLog(configuration.logger) { EventLoop.now }
    systemManager = configuration.systemManager
  }

  /// The earliest time of the next sample of the counters, or report to the service manager.
  var deadline: Instant? { [stats.deadline, systemManager?.deadline].compactMap(\.self).min() }
}
