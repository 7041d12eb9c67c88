/// An event of a source.
///
/// Events are delivered in the order in which they happened. Tables are not named: each source has
/// one.
public enum SourceEvent: Sendable {
  /// The source's columns, delivered before the first change, and again after a restart.
  case schema(Schema)
  /// The known columns, followed by new ones.
  ///
  /// Existing rows have empty cells in the new columns.
  case columnsAdded(Schema)
  /// Row changes, at most ``partRows`` at a time.
  ///
  /// A longer reload has its flags on its first and last part.
  case changes(Changeset)
  /// The state of the source.
  ///
  /// May precede the schema, because a source that fails to reach its data does not know its
  /// columns yet. `retry`: the time until the next attempt.
  case state(SourceState, message: String, retry: Duration? = nil)
  /// The value of a deferred cell.
  case loaded(RowKey, column: Int, Cell)
  /// The failure to load a requested deferred cell.
  case notLoaded(RowKey, column: Int, reason: String)
  /// The invalidation of a deferred cell's value.
  case forget(RowKey, column: Int)
  /// The rows answering a request to a remote table.
  ///
  /// Each request is answered once unless it was cancelled.
  case page(BlockRequestID, RowBlock)
  /// The sections answering a request to a remote table; see ``page(_:_:)``.
  case sections(BlockRequestID, [SectionCount])
  /// The failure of a request to a remote table; see ``page(_:_:)``.
  case pageFailed(BlockRequestID, reason: String)
  /// A change in the rows of a remote table.
  case sourceChanged
  /// The bytes of a requested image, by request number.
  case image(UInt64, ImageOutcome)
  /// The result of a requested action, by request number.
  ///
  /// Every request is answered.
  case acted(UInt64, ActionOutcome)
  /// A message about an upload of rows.
  case upload(UploadAnswer)

  /// The maximum number of rows in a part, which is the content of one ``changes(_:)``.
  ///
  /// One turn of the engine's loop applies one part.
  @inlinable public static var partRows: Int { 4_096 }
  /// The number of bytes of text and series after which a part ends.
  ///
  /// A part holds at least one row, so a single wide row can exceed this.
  @inlinable public static var partBytes: Int { 4 << 20 }
}

extension SourceEvent {
  /// Returns the answer of a source that takes no rows from clients.
  package static func refusing(_ request: UploadRequest) -> SourceEvent {
    .upload(.ended(request.id, UploadReport(failure: .unavailable("its source takes no rows"))))
  }
}
