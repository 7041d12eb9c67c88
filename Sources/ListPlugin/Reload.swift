/// The position of a batch in a reload of the whole list.
public struct Reload: OptionSet, Sendable {
  /// The bits of `enum list_flags`.
  public let rawValue: UInt32
  /// Creates an option set from the bits of `enum list_flags`.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Starts a reload: rows that are not sent before ``end`` are removed.
  public static let begin = Reload(rawValue: 1)
  /// Ends a reload: the whole list has been sent.
  public static let end = Reload(rawValue: 2)
}
