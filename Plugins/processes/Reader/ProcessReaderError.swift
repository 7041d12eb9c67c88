import Glibc

/// An error while reading the processes.
public enum ProcessReaderError: Error, Hashable, CustomStringConvertible {
  /// Listing the folder failed with this errno.
  case cannotList(String, code: Int32)

  /// A message for users.
  public var description: String {
    switch self {
    case .cannotList(let path, let code): "\(path): \(String(cString: strerror(code)))"
    }
  }
}
