import ListEngine

/// What a source tells, in the order in which it happened.
public enum SourceEvent: Sendable {
  /// Its columns. Once, before the first change.
  case schema(Schema)
  /// The same columns as before, and more behind them: the rows stay, and have empty cells there.
  case columnsAdded(Schema)
  /// Rows, at most 4,096 at a time. A longer reload has its flags on the first and on the last part.
  case changes(Changeset)
  /// How it is. May come before the schema: a source that cannot reach its data does not know its columns yet.
  /// `retry`: how long it is until it is tried again.
  case state(SourceState, message: String, retry: Duration? = nil)
  /// A deferred cell's value.
  case loaded(RowKey, column: Int, Cell)
  /// A deferred cell that it was asked for could not be loaded.
  case notLoaded(RowKey, column: Int, reason: String)
  /// A deferred cell's value is not true any more.
  case forget(RowKey, column: Int)
  /// A windowed source answers, by the number of the request; each is answered once, unless it was cancelled.
  case page(PageRequestID, RowPage)
  /// See ``page(_:_:)``.
  case sections(PageRequestID, [SectionCount])
  /// See ``page(_:_:)``.
  case pageFailed(PageRequestID, reason: String)
  /// Something in a windowed source is not as it was.
  case sourceChanged
  /// The bytes of an image that it was asked for, by the number of the request.
  case image(UInt64, ImageOutcome)
  /// What became of an action that it was asked to do, by the number of the request. Each that it was asked for is answered.
  case acted(UInt64, ActionOutcome)
}
