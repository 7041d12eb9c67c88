import ListEngine

/// How an ``Exam`` is held.
public struct ExamOptions: Sendable {
  /// The plugin's settings.
  public var settings: [String: String] = [:]
  /// Its table's level must be at least this.
  public var level = 0
  /// How long it may say nothing before its first list is whole.
  public var patience: Duration = .seconds(10)
  /// How long it may take to answer, and to end when its standard input has ended.
  public var answer: Duration = .seconds(5)
  /// How long it may go on after SIGTERM: a host kills it then.
  public var termination = SupervisionPolicy().terminationGrace
  /// How long it is watched after its first list.
  public var watch: Duration = .seconds(1)
  /// How long it is not read, and how long it is stopped.
  public var stall: Duration = .milliseconds(500)
  /// So much silence means that it has told what there is.
  public var quiet: Duration = .milliseconds(300)
  /// How long a list may take that does not end.
  public var longestList: Duration = .seconds(60)
  /// Knows the languages that columns may be ordered by.
  public var collators: @Sendable (String, Bool) -> (any Collator)? = { _, _ in nil }

  /// The usual choices.
  public init() {}
}
