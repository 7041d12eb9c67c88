/// How a source is, as it says itself. The first push makes it live.
public enum SourceState: UInt32, Sendable {
  /// It tells its changes.
  case live = 1
  /// It cannot at the moment; its rows stay and are shown as old.
  case stale = 2
}
