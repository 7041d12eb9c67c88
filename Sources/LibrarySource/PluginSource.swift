import CListPlugin
import Glibc
import ListEngine
import SourceRuntime

/// A configured instance of a plugin, running on its own thread.
///
///     let source = PluginSource(library: library, name: "clock") { event in
///       mailbox.put(event)        // may block, and the plugin waits; false when stopping
///     }
///     try source.start()
///     ...
///     source.stop()
///
/// ``stop(within:)`` waits for the thread. If `events` can block, unblock it (returning false)
/// before stopping.
package final class PluginSource: RunningSource {
  /// The name of the source in messages.
  package let name: String

  private let core: SourceCore

  /// Creates a source without starting it.
  ///
  /// - Parameters:
  ///   - library: The plugin.
  ///   - name: The name of the source in messages.
  ///   - table: A table name that overrides the plugin's. Two instances need different names.
  ///   - configuration: The settings passed to the plugin's `configure`, in the order of the keys.
  ///   - log: Receives messages of the plugin and of the host about it, on any thread. The default
  ///     writes to standard error.
  ///   - events: Receives events in order, one call at a time, on the plugin's threads. While it
  ///     blocks, the plugin waits, which provides back-pressure. Returns false to stop the plugin.
  package init(
    library: PluginLibrary, name: String, table: String? = nil, configuration: [String: String] = [:],
    log: (@Sendable (PluginLogLevel, String) -> Void)? = nil,
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.name = name
    core = SourceCore(
      library: library, name: name, table: table, configuration: configuration,
      log: log ?? { level, message in
        guard level > .debug else { return }
        let line = Array("\(name): \(level): \(message)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
      },
      events: events)
  }

  deinit { core.requestStop() }

  /// Creates the instance, configures it and starts its thread.
  ///
  /// Events may arrive before this returns.
  ///
  /// - Precondition: `start` was not called before. To restart, create another source.
  package func start() throws(PluginError) { try core.start() }

  /// Asks the plugin to stop and waits until it has.
  ///
  /// - Returns: False when the plugin did not stop in time. Its thread is then abandoned and its
  ///   events are ignored.
  @discardableResult
  package func stop(within bound: Duration = .seconds(5)) -> Bool {
    core.requestStop()
    return core.waitUntilFinished(within: bound)
  }

  /// Sends a request to the plugin; unsupported requests are answered as failed. [any thread, never
  /// waits]
  package func send(_ request: SourceRequest) { core.send(request) }

  /// Waits until the source has ended or was stopped.
  func waitForEnd() { _ = core.waitUntilFinished(within: .seconds(4_000_000_000)) }
}
