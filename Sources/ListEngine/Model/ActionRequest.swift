/// A request to a source to run an action.
public struct ActionRequest: Sendable {
  /// The identifier that the outcome repeats, never reused.
  public var id: UInt64
  /// The action's name.
  public var action: String
  /// The row's key, or `nil` for the whole table.
  public var key: RowKey?
  /// All arguments in declaration order.
  public var arguments: [(name: String, value: Cell)]

  /// Creates a request.
  public init(id: UInt64, action: String, key: RowKey?, arguments: [(name: String, value: Cell)]) {
    self.id = id
    self.action = action
    self.key = key
    self.arguments = arguments
  }
}

/// The outcome of an action.
public enum ActionOutcome: Hashable, Sendable {
  /// The action succeeded, with a message for the user.
  case done(String)
  /// The action failed, or its result is unknown, with the reason.
  case failed(Failure, String)

  /// The kinds of failure.
  public enum Failure: String, CaseIterable, Sendable {
    /// The action did not start because the table no longer has the row.
    case rowGone
    /// The action did not start because an argument is invalid.
    case badArgument
    /// The action did not start because too many actions are running.
    case busy
    /// The action did not start because the source is not running.
    case sourceDown
    /// The source reported a failure.
    case failed
    /// The action may have run, but the source exited or timed out.
    case unanswered
    /// The action may have run, but its result is no longer remembered.
    case forgotten
  }
}
