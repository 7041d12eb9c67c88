import Glibc

/// The identity, size and modification time of a file, for detecting changes.
public struct FileStamp: Hashable, Sendable {
  var device: UInt64 = 0
  var number: UInt64 = 0
  var size: Int64 = 0
  var seconds: Int = 0
  var nanoseconds: Int = 0

  /// Reads the stamp of the file at a path, following links; `nil` when there is none.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    size = Int64(status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }

  init(size: Int64) { self.size = size }
}
