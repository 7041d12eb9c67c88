import ListEngine

/// A request to a source.
package enum SourceRequest: Sendable {
  /// Load these deferred cells, most urgent first.
  case load([DeferredCell])
  /// Cancel the loading of these deferred cells.
  case cancel([DeferredCell])
  /// Answer these queries, most urgent first.
  case ask([PageRequest])
  /// Cancel these queries.
  case cancelPages([PageRequestID])
  /// Load the bytes of the image with this key; the number identifies the request.
  case image(UInt64, key: String)
  /// Cancel these image requests.
  case cancelImages([UInt64])
  /// Run this action.
  case act(ActionRequest)
}
