import Glibc

/// What tells one state of a file from another: which file it is, how long it is, and when it was written.
public struct FileStamp: Hashable, Sendable {
  var device: UInt64 = 0
  var number: UInt64 = 0
  var size: Int64 = 0
  var seconds: Int = 0
  var nanoseconds: Int = 0

  /// That of the file at a path, links followed; `nil` when there is none.
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
