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
    let output = Monitor()
    let library = HostedLibrary(
      path, write: { bytes in output.withLock { writeAll(STDOUT_FILENO, bytes) } },
      log: { level, message in
        guard level > .debug else { return }
        _ = writeAll(STDERR_FILENO, Array("\(level): \(message.replacing("\n", with: " "))\n".utf8))
      },
      // `exit` instead of a return, because the plugin's threads may still be running.
      ended: { exit($0) })
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
        library.hear(Array(bytes))
      }
    }
    library.close()
    return 0
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
