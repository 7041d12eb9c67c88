import Glibc

/// Why the processes cannot be read.
public enum ProcessReaderError: Error, Hashable, CustomStringConvertible {
  /// The folder cannot be listed, with this error number.
  case cannotList(String, code: Int32)

  /// For people.
  public var description: String {
    switch self {
    case .cannotList(let path, let code): "\(path): \(String(cString: strerror(code)))"
    }
  }
}
