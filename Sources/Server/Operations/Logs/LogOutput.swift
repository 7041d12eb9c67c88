import Glibc
import Logging
import Threads
import Wire

/// The destination, format and minimum level of all logs of the process, changeable at run time.
///
///     let output = LogOutput(level: .info, format: .json)
///     LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
public final class LogOutput: Sendable {
  /// The format of a line.
  public enum Format: String, CaseIterable, Sendable {
    /// Readable text.
    case text
    /// A JSON object.
    case json
  }

  private struct State: Sendable {
    var level: Logger.Level
    var format: Format
  }

  private let state: Guarded<State>
  private let descriptor: Int32
  private let queue: LogQueue?

  /// Creates an output that writes to a file descriptor, by default to standard error.
  ///
  /// - Parameter isQueued: Whether lines are written on a background queue, so that a slow log
  ///   reader does not block the caller. Lines beyond a limit are dropped and counted. Call
  ///   ``flush()`` before the process ends.
  public init(
    level: Logger.Level = .info, format: Format = .text, descriptor: Int32 = STDERR_FILENO, isQueued: Bool = false
  ) {
    queue = isQueued ? LogQueue(descriptor) : nil
    state = Guarded(State(level: level, format: format))
    self.descriptor = descriptor
  }

  /// The minimum level of events that are written.
  public var level: Logger.Level { state.withLock { $0.level } }

  /// Changes the level and the format. [any thread]
  public func change(level: Logger.Level, format: Format) {
    state.withLock { $0 = State(level: level, format: format) }
  }

  func write(_ level: Logger.Level, label: String, message: String, metadata: Logger.Metadata) {
    let fields = metadata.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
    // Use a single write, so that lines of different threads do not interleave.
    let bytes = line(level, label, message, fields)
    if let queue { return queue.put(bytes) { [self] in self.line(.warning, "log", "lines were dropped", $0) } }
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
  }

  /// Waits until all lines are written, up to a time limit.
  public func flush() { queue?.flush() }

  private func line(_ level: Logger.Level, _ label: String, _ message: String, _ count: Int) -> [UInt8] {
    line(level, label, message, [(name: "count", value: "\(count)")])
  }

  private func line(
    _ level: Logger.Level, _ label: String, _ message: String, _ fields: [(name: String, value: String)]
  ) -> [UInt8] {
    switch state.withLock({ $0.format }) {
    case .text: Array(Self.text(level, label, message, fields).utf8)
    case .json: Self.json(level, label, message, fields)
    }
  }

  private static func text(
    _ level: Logger.Level, _ label: String, _ message: String, _ fields: [(name: String, value: String)]
  ) -> String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
    var line = "\(clock) \(level.rawValue) \(LogText.printable(label)): \(LogText.printable(message))"
    for field in fields { line += " \(word(field.name))=\(word(field.value))" }
    return line + "\n"
  }

  /// Returns the text, in quotes if it could be mistaken for another field.
  private static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"") }
    return isPlain ? LogText.printable(text) : LogText.quoted(text)
  }

  private static func json(
    _ level: Logger.Level, _ label: String, _ message: String, _ fields: [(name: String, value: String)]
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("time", timestamp(WallClock.milliseconds))
      writer.member("level", level.rawValue)
      writer.name("label")
      writer.encoded(LogText.quoted(label))
      writer.name("message")
      writer.encoded(LogText.quoted(message))
      guard !fields.isEmpty else { return }
      writer.member("metadata") {
        for field in fields {
          $0.name(encoded: LogText.quoted(field.name))
          $0.encoded(LogText.quoted(field.value))
        }
      }
    }
    writer.byte("\n")
    return writer.bytes
  }

  /// Returns the time as an RFC 3339 timestamp.
  static func timestamp(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let day =
      "\(padded(Int(parts.tm_year) + 1_900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
    return "\(day)T\(clock).\(padded(Int(milliseconds % 1_000), 3))Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
