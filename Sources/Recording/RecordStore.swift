import Foundation

/// Where a recording's bytes go.
protocol RecordStore: Sendable {
  /// Puts all of these at the end, or none of them.
  func append(_ bytes: [UInt8]) throws
  /// Nothing more comes.
  func close()
}

/// A file.
final class FileStore: RecordStore {
  /// What went wrong, in the system's words.
  struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ number: Int32) { description = String(cString: strerror(number)) }
  }

  /// As `pwrite`: how many bytes were written, or -1 with `errno` set.
  typealias Write = @Sendable (Int32, UnsafeRawPointer, Int, off_t) -> Int

  private let descriptor: Int32
  private let write: Write
  /// Where the last whole append ended; only the writer's thread touches it.
  private nonisolated(unsafe) var end: off_t = 0

  /// Opens the file, or makes it; what is in it goes when the first bytes are put there. Nobody else may read it.
  ///
  /// - Throws: also when something else than a recording is in it: a file that is not ours is not lost by a slip of the tongue. Also when it is
  ///   a symbolic link, which somebody else may have put into a shared folder.
  init(path: String, write: @escaping Write = { pwrite($0, $1, $2, $3) }) throws(RecordingError) {
    self.write = write
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable("\(path): \(Failure(errno))") }
    guard Self.isReplaceable(descriptor) else {
      _ = Foundation.close(descriptor)
      throw .unwritable("\(path): there is a file that is no recording")
    }
  }

  /// Whether it is no file, an empty one, or begins as recordings do.
  private static func isReplaceable(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
    var beginning = [UInt8](repeating: 0, count: RecordingHeader.magic.count)
    let count = pread(descriptor, &beginning, beginning.count, 0)
    return count > 0 && RecordingHeader.magic.starts(with: beginning.prefix(count))
  }

  func append(_ bytes: [UInt8]) throws {
    if end == 0 { _ = ftruncate(descriptor, 0) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress! + written, bytes.count - written, end + off_t(written))
      }
      if count > 0 {
        written += count
      } else if count < 0, errno != EINTR {
        let failure = Failure(errno)
        // Half a record must not stay.
        _ = ftruncate(descriptor, end)
        throw failure
      }
    }
    end += off_t(written)
  }

  func close() { _ = Foundation.close(descriptor) }
}
