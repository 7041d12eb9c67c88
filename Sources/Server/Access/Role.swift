/// The permissions of a client, from the fewest to the most.
public enum Role: String, CaseIterable, Comparable, Sendable {
  /// May send rows to sources that take them, and view nothing.
  case writer
  /// May view and export every table.
  case viewer
  /// May also run actions.
  case `operator`

  /// Whether the client may see tables.
  public var mayView: Bool { self != .writer }
  /// Whether the client may send rows.
  public var mayWrite: Bool { self != .viewer }

  /// Orders roles: a client with several tokens has the greatest of their roles.
  public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

  private var rank: Int { Role.allCases.firstIndex(of: self)! }
}
