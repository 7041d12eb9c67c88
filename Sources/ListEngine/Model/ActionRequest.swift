/// One action that a source is asked to do.
public struct ActionRequest: Sendable {
  /// Comes back with the outcome; never used again.
  public var id: UInt64
  /// The action's name.
  public var action: String
  /// The row; `nil` for the table as a whole.
  public var key: RowKey?
  /// All its arguments, in its order.
  public var arguments: [(name: String, value: Cell)]

  /// A wish to have something done.
  public init(id: UInt64, action: String, key: RowKey?, arguments: [(name: String, value: Cell)]) {
    self.id = id
    self.action = action
    self.key = key
    self.arguments = arguments
  }
}

/// What became of an action.
public enum ActionOutcome: Hashable, Sendable {
  /// It was done; what people are told of it.
  case done(String)
  /// It was not, or perhaps not, for this reason.
  case failed(Failure, String)

  /// Why an action was not done, or perhaps not.
  public enum Failure: String, CaseIterable, Sendable {
    /// Not begun: the table has no such row any more.
    case rowGone
    /// Not begun: an argument cannot be.
    case badArgument
    /// Not begun: too many are under way.
    case busy
    /// Not begun: the source does not run.
    case sourceDown
    /// The source says that it could not.
    case failed
    /// Whether it was done is not known: the source has ended, or did not answer in time.
    case unanswered
    /// Whether it was done is not known any more.
    case forgotten
  }
}
