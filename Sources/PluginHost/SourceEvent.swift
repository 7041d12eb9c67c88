import ListEngine

/// What a source tells, in the order in which it happened.
public enum SourceEvent: Sendable {
  /// Its columns. Once, before the first change.
  case schema(Schema)
  /// Rows, at most 4,096 at a time. A longer reload has its flags on the first and on the last part.
  case changes(Changeset)
  /// How it is. May come before the schema: a source that cannot reach its data does not know its columns yet.
  case state(SourceState, message: String)
}
