import CListPlugin
import Glibc
import ListEngine

/// A configured instance of a plugin, running on a thread of its own.
///
///     let source = PluginSource(library: library, name: "clock", configuration: ["zone": "UTC"]) { event in
///       mailbox.put(event)        // may block: the plugin waits then; false when we are stopping
///     }
///     try source.start()
///     ...
///     source.stop()
///
/// Whoever can be blocked in `events` must be let go (with false) before ``stop(within:)``, which waits for the thread.
public final class PluginSource: Sendable {
  /// What messages call it.
  public let name: String

  private let core: SourceCore

  /// A source that is not started yet.
  ///
  /// - Parameters:
  ///   - library: The plugin.
  ///   - name: What messages call this source.
  ///   - table: The table's name, instead of the one that the plugin gives: two instances need two names.
  ///   - configuration: What the plugin's `configure` gets, in the order of the keys.
  ///   - log: The plugin's messages, and ours about it. May be called on any thread. To standard error unless told otherwise.
  ///   - events: What happens, in order, one call at a time, on the plugin's threads. It may block, and then the plugin waits:
  ///     that is the back-pressure. False: we are stopping, and the plugin is told so.
  public init(
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

  deinit { core.askToStop() }

  /// Makes the instance, configures it and starts its thread. Events may come before this returns.
  ///
  /// - Precondition: It was not called before. To start again, make another source.
  public func start() throws(PluginError) { try core.start() }

  /// Asks the plugin to stop, and waits until it has; false when it has not within this time. It is left alone then: its
  /// thread goes on, and nothing that it tells is heard any more.
  @discardableResult
  public func stop(within bound: Duration = .seconds(5)) -> Bool {
    core.askToStop()
    return core.waitUntilFinished(within: bound)
  }

  /// Asks the plugin for something; what it cannot do is answered as failed. [any thread, never waits]
  public func send(_ wish: SourceRequest) { core.send(wish) }

  /// Waits until it has ended, by itself or because it was stopped.
  func waitForEnd() { _ = core.waitUntilFinished(within: .seconds(4_000_000_000)) }

  /// How many rows could not be read and were left out, since the start. Those that do not fit the schema are the engine's to
  /// count.
  public var rejected: Int { core.rejections.count }
  /// Which row was left out last, and why; empty when none was.
  public var lastRejection: String { core.rejections.last }
}
