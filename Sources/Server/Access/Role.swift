/// What somebody who is let in may do.
public enum Role: String, CaseIterable, Comparable, Sendable {
  /// Look: at every table, in every order, and take it away as a file.
  case viewer
  /// Also act on rows.
  case `operator`

  /// A role that may do less comes first.
  public static func < (one: Role, other: Role) -> Bool { one == .viewer && other == .operator }
}
