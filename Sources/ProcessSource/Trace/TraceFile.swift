import Glibc
import ListEngine
import SourceRuntime

/// A trace file that is read line by line.
///
/// Opening it checks the first line.
///
/// The owner reads it on one thread at a time.
final class TraceFile: @unchecked Sendable {
  /// One line of the file.
  enum Line {
    /// A valid entry, with its time and the number of the plugin's instance.
    case entry(at: Duration, instance: Int, TraceEntry)
    /// A line that was not written by a ``TraceWriter``.
    case invalid(number: Int)
    /// An incomplete last line, left by a writer that was killed.
    case cutOff(number: Int)
  }

  private let file: Int32
  private let reader = TraceReader()
  // A one-megabyte line grows up to sixfold by escaping, or becomes a list of numbers if it is not
  // text.
  private var lines = LineSplitter(limit: 8 << 20)
  private var first: Line?
  private var isAtEnd = false
  /// Whether the first line is that of a recording.
  private var isRecording = false

  /// Opens a trace and reads its first line.
  ///
  /// - Throws: ``PluginError/noTrace(_:reason:)`` when the file is not a trace.
  init(_ path: String) throws(PluginError) {
    file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .noTrace(path, reason: String(cString: strerror(errno))) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw .noTrace(path, reason: "a folder is no trace")
    }
    switch next() {
    case .entry(let at, let instance, let entry): first = .entry(at: at, instance: instance, entry)
    case nil: throw .noTrace(path, reason: "the file is empty: nothing was kept in it")
    case .cutOff: throw .noTrace(path, reason: "the file ends within its first line: nothing was kept in it")
    case .invalid where isRecording:
      throw .noTrace(path, reason: "this is a recording, no trace: rowcast replay serves it again")
    case .invalid:
      throw .noTrace(path, reason: "this is not a trace: rowcast plugin run --trace has not written its first line")
    }
  }

  deinit { if file >= 0 { close(file) } }

  /// Returns the next line, or `nil` at the end.
  func next() -> Line? {
    if let line = first {
      first = nil
      return line
    }
    while true {
      if let line = lines.next() { return read(line) }
      guard !isAtEnd else { return nil }
      let room = lines.room()
      let count = Glibc.read(file, room.baseAddress, room.count)
      if count < 0, errno == EINTR { continue }
      if count > 0 {
        lines.take(count)
        continue
      }
      isAtEnd = true
      // A complete trace ends with a line break.
      guard let rest = lines.rest() else { return nil }
      guard case .whole(let bytes, let number) = rest, bytes.starts(with: TraceReader.beginning) else {
        return read(rest)
      }
      return .cutOff(number: number)
    }
  }

  private func read(_ line: borrowing LineSplitter.Line) -> Line {
    switch line {
    case .whole(let bytes, let number):
      guard let (at, instance, entry) = reader.read(Array(bytes)) else {
        if number == 1 { isRecording = bytes.starts(with: Array("ROWCAST".utf8)) }
        return .invalid(number: number)
      }
      return .entry(at: at, instance: instance, entry)
    case .tooLong(let number): return .invalid(number: number)
    }
  }
}
