import ListEngine

/// What a source is asked to do.
public enum SourceRequest: Sendable {
  /// Load these deferred cells, the most urgent first.
  case load([DeferredCell])
  /// Stop loading these.
  case cancel([DeferredCell])
  /// Answer these queries, the most urgent first.
  case ask([PageRequest])
  /// Stop working on these.
  case cancelPages([PageRequestID])
  /// Give the bytes of the image with this key, by a number of the request.
  case image(UInt64, key: String)
  /// Stop working on these.
  case cancelImages([UInt64])
  /// Do this.
  case act(ActionRequest)
}
