import CCrashNote
import Glibc
import Synchronization

/// Which shared libraries have crashed the process that loaded them: kept in a file, so that the next process knows.
///
///     try CrashNotes.keep(at: "/var/lib/rowcast/crashes")   // once, before anything is loaded
///
/// A crash adds one line: the signal, then what names the library: size and time of its file, and its path. A library that stands there
/// ``limit`` times is not loaded any more, until its file is another one or the lines are gone.
public enum CrashNotes {
  /// A library that has crashed so often is not loaded.
  public static let limit = 3

  /// Of a longer file the end counts: it has grown over years.
  private static let greatestByteCount = 1 << 20
  private static let path = Mutex<String?>(nil)

  private static let isWatching = Mutex(false)

  /// Has a library that crashes or ends the process named on standard error. Before the first one is loaded.
  public static func watch() {
    isWatching.withLock { isWatching in
      if !isWatching { crash_note_watch() }
      isWatching = true
    }
  }

  /// Keeps them in this file from now on; the result is why that cannot be.
  public static func keep(at path: String) -> String? {
    watch()
    let fault = crash_note_open(path)
    guard fault == 0 else { return String(cString: strerror(fault)) }
    self.path.withLock { $0 = path }
    return nil
  }

  /// The line that names a library in one state of its file.
  static func line(_ path: String, _ stamp: FileStamp) -> String {
    let shown = path.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return "\(stamp.size) \(stamp.seconds).\(stamp.nanoseconds) \(shown)\n"
  }

  /// How often a text of notes has this line, whatever the signal.
  static func count(of line: String, in notes: String) -> Int {
    notes.split(separator: "\n").count { note in
      note.split(separator: " ", maxSplits: 1).last.map { String($0) + "\n" == line } ?? false
    }
  }

  /// What a library at this place, in this open file, is noted as; `nil` when nothing is watched.
  ///
  /// - Throws: `PluginError.quarantined` when it has crashed too often.
  static func admit(_ library: String, _ file: Int32) throws(PluginError) -> UnsafePointer<CChar>? {
    guard isWatching.withLock({ $0 }), let stamp = FileStamp("/proc/self/fd/\(file)") else { return nil }
    let line = line(library, stamp)
    guard let path = path.withLock({ $0 }) else { return UnsafePointer(strdup(line)) }
    let times = count(of: line, in: notes(path))
    guard times < limit else { throw .quarantined(library, times: times, notes: path) }
    // For as long as the process lives: the handler of a signal reads it.
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

  /// Does something that is in the code of what this names.
  static func inside<Result, Failure: Error>(
    _ note: UnsafePointer<CChar>?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let note else { return try body() }
    let before = crash_note_enter(note)
    defer { crash_note_leave(before) }
    return try body()
  }
}
