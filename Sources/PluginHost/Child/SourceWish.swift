import ListEngine

/// What a source is asked to do.
public enum SourceWish: Sendable {
  /// Load these deferred cells, the most urgent first.
  case load([DeferredCell])
  /// Stop loading these.
  case cancel([DeferredCell])
  /// Do this.
  case act(ActionRequest)
}
