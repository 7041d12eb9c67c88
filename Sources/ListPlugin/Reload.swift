/// Where a batch stands in a list that is told anew as a whole.
public struct Reload: OptionSet, Sendable {
  /// The bits of `enum list_flags`.
  public let rawValue: UInt32
  /// These bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The list begins anew: rows that are not named until ``end`` are gone then.
  public static let begin = Reload(rawValue: 1)
  /// With this batch the whole list has been named.
  public static let end = Reload(rawValue: 2)
}
