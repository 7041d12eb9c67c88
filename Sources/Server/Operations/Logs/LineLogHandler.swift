import Logging

/// A log handler that writes one line per event, with untrusted content escaped.
public struct LineLogHandler: LogHandler {
  /// The metadata added to every event.
  public var metadata = Logger.Metadata()
  /// The provider of further metadata.
  public var metadataProvider: Logger.MetadataProvider?
  private let label: String
  private let output: LogOutput

  /// Creates a handler for the events of one label.
  public init(label: String, output: LogOutput) {
    self.label = label
    self.output = output
  }

  /// The level of the output, which applies to all handlers; setting it has no effect.
  public var logLevel: Logger.Level {
    get { output.level }
    set {}
  }

  /// A single entry of the metadata added to every event.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes one event.
  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    output.write(event.level, label: label, message: "\(event.message)", metadata: all)
  }
}
