/// The permissions of a client.
public enum Role: String, CaseIterable, Comparable, Sendable {
  /// May view and export every table.
  case viewer
  /// May also run actions.
  case `operator`

  /// Orders roles by their permissions.
  public static func < (one: Role, other: Role) -> Bool { one == .viewer && other == .operator }
}
