import Glibc
import Logging

/// Where all logs of the process go, in which form and from which level on; both can be changed while it runs.
///
///     let output = LogOutput(level: .info, format: .json)
///     LoggingSystem.bootstrap { LineLogHandler(label: $0, output: output) }
public final class LogOutput: Sendable {
  /// How an event is written: a line each way.
  public enum Format: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// For machines: one JSON object.
    case json
  }

  private struct State: Sendable {
    var level: Logger.Level
    var format: Format
  }

  private let state: Guarded<State>
  private let descriptor: Int32
  private let queue: LogQueue?

  /// Writes to a file; standard error if not told otherwise.
  ///
  /// - Parameter isQueued: Whether lines are written on a thread of their own, so that a reader of the log that does not read
  ///   holds nobody up. Lines beyond a bound are dropped then, and counted. Use ``flush()`` before the process ends.
  public init(
    level: Logger.Level = .info, format: Format = .text, descriptor: Int32 = STDERR_FILENO, isQueued: Bool = false
  ) {
    queue = isQueued ? LogQueue(descriptor) : nil
    state = Guarded(State(level: level, format: format))
    self.descriptor = descriptor
  }

  /// From which level on events are written.
  public var level: Logger.Level { state.withLock { $0.level } }

  /// Chooses anew. [any thread]
  public func change(level: Logger.Level, format: Format) {
    state.withLock { $0 = State(level: level, format: format) }
  }

  func write(_ level: Logger.Level, label: String, message: String, metadata: Logger.Metadata) {
    let fields = metadata.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
    let line =
      switch state.withLock({ $0.format }) {
      case .text: Self.text(level, label, message, fields)
      case .json: Self.json(level, label, message, fields)
      }
    // In one call, so that lines of several threads do not mix.
    let bytes = Array(line.utf8)
    if let queue { return queue.put(bytes) { [self] in self.line(.warning, "log", "lines were dropped", $0) } }
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
  }

  /// Waits until all is written, but not long for a reader that does not read.
  public func flush() { queue?.flush() }

  private func line(_ level: Logger.Level, _ label: String, _ message: String, _ count: Int) -> [UInt8] {
    let fields = [(name: "count", value: "\(count)")]
    return switch state.withLock({ $0.format }) {
    case .text: Array(Self.text(level, label, message, fields).utf8)
    case .json: Array(Self.json(level, label, message, fields).utf8)
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

  /// What looks like another field is in quotes, be it a name or a value.
  private static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"") }
    return isPlain ? LogText.printable(text) : LogText.quoted(text)
  }

  private static func json(
    _ level: Logger.Level, _ label: String, _ message: String, _ fields: [(name: String, value: String)]
  ) -> String {
    var line = "{\"time\":\"\(timestamp(WallClock.milliseconds))\",\"level\":\"\(level.rawValue)\""
    line += ",\"label\":\(LogText.quoted(label)),\"message\":\(LogText.quoted(message))"
    if !fields.isEmpty {
      let pairs = fields.map { "\(LogText.quoted($0.name)):\(LogText.quoted($0.value))" }
      line += ",\"metadata\":{\(pairs.joined(separator: ","))}"
    }
    return line + "}\n"
  }

  /// A moment as RFC 3339 writes it.
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
