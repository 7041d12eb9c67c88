import Glibc

/// The identity, size and modification time of a file, for detecting changes.
package struct FileStamp: Hashable, Sendable {
  package var device: UInt64 = 0
  package var number: UInt64 = 0
  package var size: Int64 = 0
  package var seconds: Int = 0
  package var nanoseconds: Int = 0

  /// Reads the stamp of the file at a path, following links; `nil` when there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    size = Int64(status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
