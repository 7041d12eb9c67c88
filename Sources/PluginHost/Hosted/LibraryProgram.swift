import Glibc

/// A shared library as a program of its own: lines on standard input and output, the log on standard error.
///
/// It is what `rowcast plugin-host` does; a server that runs it as a child is safe from whatever the library does.
public enum LibraryProgram {
  /// Runs until standard input ends or the plugin does; the result is the exit code.
  ///
  /// - Parameter path: The library; absolute.
  public static func run(_ path: String) -> Int32 {
    // Who hangs up while we write has the write fail.
    signal(SIGPIPE, SIG_IGN)
    let output = Monitor()
    let library = HostedLibrary(
      path, write: { bytes in output.withLock { writeAll(STDOUT_FILENO, bytes) } },
      log: { level, message in
        guard level > .debug else { return }
        _ = writeAll(STDERR_FILENO, Array("\(level): \(message.replacing("\n", with: " "))\n".utf8))
      },
      // Not a return of ours: the plugin's threads may be in the middle of something.
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
