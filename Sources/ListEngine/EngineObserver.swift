/// An observer of everything that determines the outputs of an engine, such as a recording.
///
///     engine.observer = recording
///
/// The engine reads no clock and no random numbers. Another engine that takes these inputs at
/// these times returns the same outputs.
public protocol EngineObserver: AnyObject {
  /// Notes an event. An input is observed before it takes effect, also if the engine refuses it.
  func observe(_ event: EngineEvent, at now: Instant)
}

/// A call of an engine that affects its outputs, or the outputs that it returned.
///
/// Calls about exports are not observed, except for ``Input/isForExport`` inputs and
/// ``Output/isForExport`` outputs, because exports do not affect what clients receive.
public enum EngineEvent {
  /// ``Engine/addTable(_:at:)`` was called.
  case table(Schema)
  /// ``Engine/replaceTable(_:with:at:)`` was called.
  case replacement(TableID, Schema)
  /// ``Engine/setInterval(_:at:)`` was called.
  case interval(Duration)
  /// ``Engine/handle(_:at:)`` was called.
  case input(Input)
  /// ``Engine/advance(to:)`` returned these outputs.
  case outputs([Output])
}
