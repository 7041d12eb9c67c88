import ListEngine

/// The timeouts and failure limits for supervising a child process.
package struct SupervisionPolicy: Hashable, Sendable {
  /// The shortest delay before a restart.
  package var shortestPause: Duration = .milliseconds(500)
  /// The longest delay before a restart.
  package var longestPause: Duration = .seconds(30)
  /// The time for which a process must be live before the restart delay is reset.
  package var recovery: Duration = .seconds(10)
  /// The interval of health checks while a child that supports them is silent.
  package var heartbeat: Duration = .seconds(2)
  /// The longest time for answering a health check, and the longest time in the stopped state
  /// (SIGSTOP).
  package var patience: Duration = .seconds(5)
  /// The time between closing the input and SIGTERM.
  package var inputGrace: Duration = .milliseconds(250)
  /// The time between SIGTERM and SIGKILL.
  package var terminationGrace: Duration = .seconds(2)
  /// The time between SIGTERM and SIGKILL during server shutdown.
  package var lastGrace: Duration = .milliseconds(500)
  /// The longest silence while reading the remaining output of an ended child.
  package var drainGrace: Duration = .seconds(1)
  /// The number of malformed lines within ``badLineSpan`` that ends the child.
  package var badLines = 10
  /// The period over which ``badLines`` is counted.
  package var badLineSpan: Duration = .seconds(10)
  /// The number of restarts with other columns within ``columnChangeSpan``, after which a further
  /// one fails the source.
  package var columnChanges = 5
  /// The period over which ``columnChanges`` is counted.
  package var columnChangeSpan: Duration = .seconds(600)
  /// The time between two measurements of what all its processes take together.
  package var measurePause: Duration = .seconds(4)
  /// The period over which restarts are counted for state messages.
  package var countedSpan: Duration = .seconds(60)

  /// Creates the default policy.
  package init() {}
}
