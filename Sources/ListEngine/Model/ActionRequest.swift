/// A request to a source to run an action.
public struct ActionRequest: Sendable {
  /// The identifier that the outcome repeats. It is never reused.
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
    /// The table no longer has the row. The action did not start.
    case rowGone
    /// An argument is invalid. The action did not start.
    case badArgument
    /// Too many actions are running. The action did not start.
    case busy
    /// The source is not running. The action did not start.
    case sourceDown
    /// The source reported a failure.
    case failed
    /// The source exited or timed out. The action may have run.
    case unanswered
    /// The request is no longer remembered. The action may have run.
    case forgotten
  }
}
