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

  /// Makes the file, or empties it. Nobody else may read it.
  init(path: String, write: @escaping Write = { pwrite($0, $1, $2, $3) }) throws(RecordingError) {
    self.write = write
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable("\(path): \(Failure(errno))") }
  }

  func append(_ bytes: [UInt8]) throws {
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
