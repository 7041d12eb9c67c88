/// The state of a source. The first push makes it live.
public enum SourceState: UInt32, Sendable {
  /// The source's rows are up to date.
  case live = 1
  /// The source cannot reach its data now. Its rows stay and are marked as stale.
  case stale = 2
}
