import ListEngine

/// How long a child process is waited for, and how often it may fail.
public struct SupervisionPolicy: Hashable, Sendable {
  /// The shortest pause before it is started again.
  public var shortestPause: Duration = .milliseconds(500)
  /// The longest pause before it is started again.
  public var longestPause: Duration = .seconds(30)
  /// One that was live for this long has recovered: its next pause is a short one again.
  public var recovery: Duration = .seconds(10)
  /// How often a child that can tell is asked whether it is well, while it says nothing.
  public var heartbeat: Duration = .seconds(2)
  /// How long it may take to answer; and how long one may be stopped (SIGSTOP).
  public var patience: Duration = .seconds(5)
  /// How long it has to end after its input was closed, before SIGTERM.
  public var inputGrace: Duration = .milliseconds(250)
  /// How long it has to end after SIGTERM, before SIGKILL.
  public var terminationGrace: Duration = .seconds(2)
  /// The same when the whole server ends.
  public var lastGrace: Duration = .milliseconds(500)
  /// How long what an ended child has written is read on, while nothing more of it can be had.
  public var drainGrace: Duration = .seconds(1)
  /// So many bad lines within ``badLineSpan`` end it.
  public var badLines = 10
  /// See ``badLines``.
  public var badLineSpan: Duration = .seconds(10)
  /// The time between two measurements of what all its processes take together.
  public var measurePause: Duration = .seconds(4)
  /// Over what time ends are counted for people.
  public var countedSpan: Duration = .seconds(60)

  /// The standard choices.
  public init() {}
}
