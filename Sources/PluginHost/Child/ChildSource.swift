import ListEngine

/// A source whose plugin is a program of its own: started, watched, ended and started again as often as it takes.
///
///     let source = ChildSource(.shell("vmstat -n 1 | ./rows.sh"), name: "vmstat") { event in
///       mailbox.put(event)        // may block: the program waits then; false when we are stopping
///     }
///     try source.start()
///     ...
///     source.stop()
///
/// Whoever can be blocked in `events` must be let go (with false) before ``stop(within:)``, which waits for the program's end.
public final class ChildSource: Sendable {
  /// What messages call it.
  public let name: String

  private let core: ChildCore

  /// A source that is not started yet.
  ///
  /// - Parameters:
  ///   - command: What is started.
  ///   - name: What messages call this source; the table's name, when the program does not say one.
  ///   - table: The table's name, instead of the one that the program gives.
  ///   - configuration: The settings that a program gets that speaks the protocol.
  ///   - policy: How long it is waited for, and how often it may fail.
  ///   - trace: Hears everything that is said to the program, and that it says.
  ///   - log: What the program writes to its standard error, and ours about it. May be called on any thread.
  ///   - events: What happens, in order, one call at a time, on threads of this source. It may block, and then the program waits. False:
  ///     we are stopping.
  public init(
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

  /// Starts it, on threads of its own. That the program cannot be started is no error here: it is told, and tried again.
  ///
  /// - Precondition: It was not called before.
  public func start() throws(PluginError) { try core.start() }

  /// Has the program end, with its whole process group, and waits; false when that took longer than this.
  @discardableResult
  public func stop(within bound: Duration = .seconds(5)) -> Bool {
    core.post(.stop)
    return core.waitUntilFinished(within: bound)
  }

  /// Asks the program for something; what it cannot do is answered as failed. [any thread, never waits]
  public func send(_ wish: SourceRequest) { core.send(wish) }

  /// Ends the program until it is enabled again; its rows stay.
  public func disable() { core.post(.disable) }

  /// Starts a program again that was disabled, has ended well or was refused.
  public func enable() { core.post(.start) }

  /// Does not wait for the next try.
  public func retry() { core.post(.retry) }
}
