/// Why a call to the host was not done.
public enum HostError: Error, Hashable, CustomStringConvertible {
  /// The source is being stopped. Let it leave `run`: this is how a source ends, and nothing is wrong.
  case stopping
  /// The host refuses the call, and its log says why: the plugin's mistake.
  case refused(String)

  /// For people.
  public var description: String {
    switch self {
    case .stopping: "the source is being stopped"
    case .refused(let reason): reason
    }
  }
}
