import Glibc
import Logging

/// Writes one line per event to standard error, whatever strangers have put into it: no name of a file or row can begin a line of its own
/// or steer the terminal.
struct LineLogHandler: LogHandler {
  var metadata = Logger.Metadata()
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.info
  let label: String

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    var line = "\(Self.now()) \(event.level.rawValue) \(label): \(event.message)"
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
    let bytes = Array(Self.printable(line).utf8) + [UInt8(ascii: "\n")]
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress!, $0.count) }
  }

  private static func now() -> String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  /// Without control characters and without those that turn the direction of writing; at most 4,096 characters.
  static func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(4_096) {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
