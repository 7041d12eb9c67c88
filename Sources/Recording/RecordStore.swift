import Foundation

/// The destination of a recording's bytes.
protocol RecordStore: Sendable {
  /// Appends all of the bytes, or none on failure.
  func append(_ bytes: [UInt8]) throws
  /// Closes the store; it is the last call.
  func close()
}

/// A file that a recording is written to.
final class FileStore: RecordStore {
  /// A system error.
  struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ number: Int32) { description = String(cString: strerror(number)) }
  }

  /// A function like `pwrite`: returns the number of bytes written, or -1 with `errno` set.
  typealias Write = @Sendable (Int32, UnsafeRawPointer, Int, off_t) -> Int

  private let descriptor: Int32
  private let write: Write
  /// The offset after the last complete append; used only on the writer's thread.
  private nonisolated(unsafe) var end: off_t = 0

  /// Opens or creates a file that only its owner can read.
  ///
  /// Existing content is removed at the first append.
  ///
  /// - Throws: An error if the file contains anything but a recording, so that a mistyped path
  ///   loses no data. Also if it is a symbolic link, because another user may have created it in a
  ///   shared folder.
  init(path: String, write: @escaping Write = { pwrite($0, $1, $2, $3) }) throws(RecordingError) {
    self.write = write
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable("\(path): \(Failure(errno))") }
    guard Self.isReplaceable(descriptor) else {
      _ = Foundation.close(descriptor)
      throw .unwritable("\(path): the file exists and is not a recording")
    }
  }

  /// Whether the file is empty, starts like a recording, or is not a regular file.
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
        // Removes the partial record.
        _ = ftruncate(descriptor, end)
        throw failure
      }
    }
    end += off_t(written)
  }

  func close() { _ = Foundation.close(descriptor) }
}
