import ListEngine
import SourceRuntime

/// A source whose plugin is a separate program, supervised and restarted when it ends.
///
///     let source = ChildSource(.shell("vmstat -n 1 | ./rows.sh"), name: "vmstat") { event in
///       mailbox.put(event)        // may block, and the program waits; false when stopping
///     }
///     try source.start()
///     ...
///     source.stop()
///
/// ``stop(within:)`` waits for the program's end. If `events` can block, unblock it (returning
/// false) before stopping.
package final class ChildSource: RunningSource {
  /// The name of the source in messages.
  package let name: String

  private let core: ChildCore

  /// Creates a source without starting it.
  ///
  /// - Parameters:
  ///   - command: The program to start.
  ///   - name: The name of the source in messages, and the default table name.
  ///   - table: A table name that overrides the program's.
  ///   - configuration: The settings for a program that speaks the protocol.
  ///   - policy: The timeouts and failure limits of the supervision.
  ///   - trace: Receives everything exchanged with the program.
  ///   - log: Receives the program's standard error and messages of the host, on any thread.
  ///   - events: Receives events in order, one call at a time, on threads of this source. While it
  ///     blocks, the program waits. Returns false to stop the program.
  package init(
    _ command: ChildCommand, name: String, table: String? = nil, configuration: [String: String] = [:],
    policy: SupervisionPolicy = SupervisionPolicy(), trace: (any TraceListener)? = nil,
    log: @escaping @Sendable (PluginLogLevel, String) -> Void,
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.name = name
    core = ChildCore(
      command, name: name, table: table, configuration: configuration, policy: policy, trace: trace, log: log,
      events: events)
  }

  deinit { core.post(.stop) }

  /// Starts the source on its own threads.
  ///
  /// A program that fails to start is not an error here: the failure is reported as a state and
  /// retried.
  ///
  /// - Precondition: `start` was not called before.
  package func start() throws(PluginError) { try core.start() }

  /// Ends the program with its whole process group, and waits; returns false when that took too
  /// long.
  @discardableResult
  package func stop(within bound: Duration = .seconds(5)) -> Bool {
    core.post(.stop)
    return core.waitUntilFinished(within: bound)
  }

  /// The rules for the program's settings; `nil` before its `hello`, or if it has none.
  package var settingRules: SettingRules? { core.settingRules }

  /// Sends a request to the program; unsupported requests are answered as failed. [any thread,
  /// never waits]
  package func send(_ request: SourceRequest) { core.send(request) }

  /// Sends a request unless the program has come back with other columns since. [any thread, never
  /// waits]
  package func send(_ request: SourceRequest, of schema: Schema?) { core.send(request, of: schema) }

  /// Restarts the program now instead of waiting for the next attempt.
  package func retry() { core.post(.retry) }
}
