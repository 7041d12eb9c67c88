import Logging

/// Writes one line per event, whatever strangers have put into it.
public struct LineLogHandler: LogHandler {
  /// What goes with every event.
  public var metadata = Logger.Metadata()
  /// Where more of that comes from.
  public var metadataProvider: Logger.MetadataProvider?
  private let label: String
  private let output: LogOutput

  /// A handler for the events of one label.
  public init(label: String, output: LogOutput) {
    self.label = label
    self.output = output
  }

  /// The output's, which is chosen for all at once.
  public var logLevel: Logger.Level {
    get { output.level }
    set {}
  }

  /// One thing that goes with every event.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes an event.
  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    output.write(event.level, label: label, message: "\(event.message)", metadata: all)
  }
}
