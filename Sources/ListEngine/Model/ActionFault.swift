/// Why the arguments of an action cannot be: the page's fault.
public struct ActionFault: Error, Hashable, Sendable {
  /// A sentence that names the argument.
  public var reason: String

  /// For this reason.
  public init(reason: String) { self.reason = reason }
}
