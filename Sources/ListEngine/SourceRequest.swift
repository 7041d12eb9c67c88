/// A request to a source, which it answers with a ``SourceEvent``.
public enum SourceRequest: Sendable {
  /// Load these deferred cells, most urgent first; each requires an answer.
  case load([DeferredCell])
  /// Cancel the loading of these deferred cells.
  case cancel([DeferredCell])
  /// Answer these queries, most urgent first; each requires an answer.
  case ask([BlockRequest])
  /// Cancel these queries.
  case cancelBlocks([BlockRequestID])
  /// Load the bytes of the image with this key; the number identifies the request.
  case image(UInt64, key: String)
  /// Cancel these image requests.
  case cancelImages([UInt64])
  /// Run this action and answer with ``SourceEvent/acted(_:_:)``.
  case act(ActionRequest)
  /// Take a part of an upload of rows.
  case upload(UploadRequest)
}
