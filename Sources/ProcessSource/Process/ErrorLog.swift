import ListEngine

/// Converts the standard error of a child to log lines, limited in length and rate.
package struct ErrorLog {
  /// The maximum length of a line in bytes.
  ///
  /// The rest is dropped.
  static let lineLimit = 4_096
  /// The maximum number of lines logged per second.
  ///
  /// The number of suppressed lines is logged afterwards.
  static let linesPerSecond = 100

  private var line: [UInt8] = []
  private var isCut = false
  private var second = Instant.zero
  private var passed = 0
  private var suppressed = 0

  package init() {}

  /// Appends output and passes complete lines on.
  package mutating func take(_ bytes: some Sequence<UInt8>, at now: Instant, _ pass: (String) -> Void) {
    if second.duration(to: now) >= .seconds(1) {
      reportSuppressed(pass)
      second = now
      passed = 0
    }
    for byte in bytes {
      if byte == 0x0A {
        endLine(pass)
      } else if line.count < Self.lineLimit {
        line.append(byte)
      } else {
        isCut = true
      }
    }
  }

  /// Passes the incomplete last line on, because the output has ended.
  package mutating func end(_ pass: (String) -> Void) {
    if !line.isEmpty { endLine(pass) }
    reportSuppressed(pass)
  }

  private mutating func endLine(_ pass: (String) -> Void) {
    if line.last == 0x0D { line.removeLast() }
    if passed < Self.linesPerSecond {
      passed += 1
      if !line.isEmpty { pass(String(decoding: line, as: UTF8.self) + (isCut ? " ..." : "")) }
    } else {
      suppressed += 1
    }
    line.removeAll(keepingCapacity: true)
    isCut = false
  }

  private mutating func reportSuppressed(_ pass: (String) -> Void) {
    if suppressed > 0 { pass("(\(suppressed) more lines within a second are not shown)") }
    suppressed = 0
  }
}
