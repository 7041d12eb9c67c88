/// The reason why a call to the host failed.
public enum HostError: Error, Hashable, CustomStringConvertible {
  /// The source is being stopped. Let the error leave `run`: this is the normal end of a source.
  case stopping
  /// The host refused the call because of a bug in the plugin. The host's log has the reason.
  case refused(String)

  /// A message for the log.
  public var description: String {
    switch self {
    case .stopping: "the source is being stopped"
    case .refused(let reason): reason
    }
  }
}
