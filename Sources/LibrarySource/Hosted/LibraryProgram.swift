import Glibc
import SourceRuntime
import Threads

/// Runs a shared library as a program that speaks the line protocol on its standard streams.
///
/// This implements `rowcast plugin-host`. A server that runs it as a child process is safe from
/// crashes of the library.
package enum LibraryProgram {
  /// Runs until standard input or the plugin ends, and returns the exit code.
  ///
  /// - Parameter path: The absolute path of the library.
  package static func run(_ path: String) -> Int32 {
    // A closed pipe then fails the write instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    let output = Output()
    let library = HostedLibrary(
      path, write: { output.write($0) },
      log: { level, message in
        guard level > .debug else { return }
        _ = writeAll(STDERR_FILENO, Array("\(level): \(message.replacing("\n", with: " "))\n".utf8))
      },
      // `exit` instead of a return, because the plugin's threads may still be running.
      ended: { code in
        output.close()
        exit(code)
      })
    library.begin()
    var lines = LineSplitter()
    while true {
      let room = lines.room()
      let count = read(STDIN_FILENO, room.baseAddress, room.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      lines.take(count)
      while let line = lines.next() {
        guard case .whole(let bytes, _) = line, !bytes.isEmpty else { continue }
        library.receive(Array(bytes))
      }
    }
    library.close()
    output.close()
    return 0
  }

  /// The standard output, which several threads write whole lines to.
  private final class Output: @unchecked Sendable {
    /// The time that a line has to be read to its end. A host that ends a program kills it earlier.
    private static let patience: UInt64 = 60_000_000_000

    private let monitor = Monitor()
    // Guarded by `monitor`.
    private var isWriting = false
    private var isClosed = false

    /// Writes lines, and returns false if the output is closed.
    func write(_ lines: [UInt8]) -> Bool {
      let isTurn = monitor.withLock {
        monitor.wait { !isWriting || isClosed }
        guard !isClosed else { return false }
        isWriting = true
        return true
      }
      guard isTurn else { return false }
      defer {
        monitor.withLock {
          isWriting = false
          monitor.wakeAll()
        }
      }
      return writeAll(STDOUT_FILENO, lines)
    }

    /// Ends the output behind the lines that are being written.
    func close() {
      monitor.withLock {
        isClosed = true
        monitor.wakeAll()
        _ = monitor.wait(nanoseconds: Self.patience) { !isWriting }
      }
    }
  }

  private static func writeAll(_ file: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
