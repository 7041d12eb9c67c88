/// An effect that the caller must carry out.
public enum Output {
  /// Send the delivery to the client.
  ///
  /// The session counts as not writable until ``Input/writable(_:)``.
  case deliver(SessionID, Delivery)
  /// Send the state of the table's source to the client.
  case status(SessionID, table: String, SourceStatus)
  /// Send the number of waiting changes to a paused client.
  case waiting(SessionID, Waiting)
  /// Send the tiles of a client's summary strip.
  case tiles(SessionID, TileReports)
  /// Send the changed facets of a client.
  case facets(SessionID, FacetReports)
  /// Send the changed pinned rows of a client.
  case pins(SessionID, PinReports)
  /// Make the source load deferred cells, most urgent first.
  ///
  /// Each is answered by ``Input/loaded(_:_:column:_:)`` or ``Input/failed(_:_:column:reason:)``.
  case load(TableID, [DeferredCell])
  /// Make the source cancel these loads because the cells are out of sight.
  ///
  /// A late answer is not an error.
  case cancel(TableID, [DeferredCell])
  /// Make a windowed source answer requests, most urgent first.
  ///
  /// Each is answered by ``Input/page(_:_:_:)``, ``Input/sections(_:_:_:)`` or
  /// ``Input/pageFailed(_:_:reason:)``.
  case ask(TableID, [BlockRequest])
  /// Make a windowed source cancel these requests.
  ///
  /// A late answer is not an error.
  case cancelBlocks(TableID, [BlockRequestID])
  /// Send the list of tables to every client.
  case tables([TableDescription])
  /// Report a refused request to the client.
  ///
  /// The session stays open and shows its last good query, if any.
  case refuse(SessionID, Refusal)
}
