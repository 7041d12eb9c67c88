import CSystem
import Glibc
import SourceRuntime
import Threads

/// A record of shared libraries that have crashed the process, kept in a file for later processes.
///
///     try CrashNotes.keep(at: "/var/lib/rowcast/crashes")   // once, before anything is loaded
///
/// Each crash appends one line with the signal and the library's file size, modification time and
/// path. A library with ``limit`` lines is not loaded again until its file changes or the lines are
/// removed.
package enum CrashNotes {
  /// The number of crashes after which a library is not loaded.
  package static let limit = 3

  /// The number of bytes read from the end of the file, which may grow over years.
  private static let greatestByteCount = 1 << 20
  private static let path = Guarded<String?>(nil)

  private static let isWatching = Guarded(false)

  /// Reports crashing libraries on standard error.
  ///
  /// Call this before the first library is loaded.
  package static func watch() {
    isWatching.withLock { isWatching in
      if !isWatching { crash_note_watch() }
      isWatching = true
    }
  }

  /// Starts recording in this file; returns the reason for a failure.
  package static func keep(at path: String) -> String? {
    watch()
    let fault = crash_note_open(path)
    guard fault == 0 else { return String(cString: strerror(fault)) }
    self.path.withLock { $0 = path }
    return nil
  }

  /// Returns the line for a library in one state of its file.
  package static func line(_ path: String, _ stamp: FileStamp) -> String {
    let shown = path.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return "\(stamp.size) \(stamp.seconds).\(stamp.nanoseconds) \(shown)\n"
  }

  /// Returns the number of occurrences of a line, regardless of the signal.
  package static func count(of line: String, in notes: String) -> Int {
    notes.split(separator: "\n").count { note in
      note.split(separator: " ", maxSplits: 1).last.map { String($0) + "\n" == line } ?? false
    }
  }

  /// Returns the note for a library in an open file; `nil` when crashes are not watched.
  ///
  /// - Throws: `PluginError.quarantined` when it has crashed too often.
  static func admit(_ library: String, _ file: Int32) throws(PluginError) -> UnsafePointer<CChar>? {
    guard isWatching.withLock({ $0 }), let stamp = FileStamp("/proc/self/fd/\(file)") else { return nil }
    let line = line(library, stamp)
    guard let path = path.withLock({ $0 }) else { return UnsafePointer(strdup(line)) }
    let times = count(of: line, in: notes(path))
    guard times < limit else { throw .quarantined(library, times: times, notes: path) }
    // Never freed, because the signal handler reads it.
    return UnsafePointer(strdup(line))
  }

  private static func notes(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    guard size > 0, lseek(file, max(0, size - greatestByteCount), SEEK_SET) >= 0 else { return "" }
    let bytes = [UInt8](unsafeUninitializedCapacity: min(size, greatestByteCount)) { buffer, filled in
      filled = max(0, read(file, buffer.baseAddress, buffer.count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs code of the library named by the note.
  static func inside<Result, Failure: Error>(
    _ note: UnsafePointer<CChar>?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let note else { return try body() }
    let before = crash_note_enter(note)
    defer { crash_note_leave(before) }
    return try body()
  }
}
