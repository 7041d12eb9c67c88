/// A client's error in the arguments of an action.
public struct ActionFault: Error, Hashable, Sendable {
  /// A message that names the argument.
  public var reason: String

  /// Creates a fault.
  public init(reason: String) { self.reason = reason }
}
