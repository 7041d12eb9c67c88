import Foundation
import ListEngine
import Logging
import Testing
import Threads

@testable import Server

/// Tests that log lines are not forgeable and are limited in number.
@Suite struct LogTests {
  /// Returns the lines that `body` logs.
  private func lines(_ format: LogOutput.Format, level: Logger.Level = .info, _ body: (Logger) -> Void) throws
    -> [String]
  {
    let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer {
      close(file)
      unlink(path)
    }
    let output = LogOutput(level: level, format: format, descriptor: file)
    body(Logger(label: "test") { LineLogHandler(label: $0, output: output) })
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A })
    #expect(bytes.isEmpty || bytes.last == 0x0A)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private struct Line: Decodable {
    var time: String
    var level: String
    var label: String
    var message: String
    var metadata: [String: String]?
  }

  private func parse(_ line: String) throws -> Line { try JSONDecoder().decode(Line.self, from: Data(line.utf8)) }

  @Test func `writes exactly one line per message with a hostile name`() throws {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "\n", "\r\n", "\u{0}", "\u{1B}[2J", "\u{7}", "\u{85}", "\u{2028}", "\u{202E}", "\u{2066}", "\u{200F}", "\"", "\\",
      "}\n{\"level\":\"info\"}", "12:00:00 info rowcast: ", "x", "é", "🧨", "\u{E0041}", "\u{FEFF}", "\t", "\u{7F}",
    ]
    for format in LogOutput.Format.allCases {
      let count = 50_000
      var names: [String] = []
      for _ in 0..<count { names.append((0..<3).map { _ in parts.randomElement(using: &random)! }.joined()) }
      let written = try lines(format) { logger in
        for name in names { logger.info("a source named \(name)", metadata: [name: "\(name)"]) }
      }
      #expect(written.count == count, "\(format)")
      for (name, line) in zip(names, written) {
        #expect(
          !line.unicodeScalars.contains {
            (0x202A...0x202E).contains($0.value) || $0.value == 0x2028 || $0.value == 0x85
          })
        if format == .json {
          let parsed = try parse(line)
          #expect(parsed.message == "a source named \(name)")
          #expect(parsed.metadata == [name: name])
        }
      }
    }
  }

  @Test func `a line has time, level, label, message and metadata`() throws {
    let json = try lines(.json) { $0.warning("hot", metadata: ["b": "2", "a": "1"]) }
    let parsed = try parse(json[0])
    #expect(json.count == 1 && json[0].hasSuffix(#","metadata":{"a":"1","b":"2"}}"#))
    #expect((parsed.level, parsed.label, parsed.message) == ("warning", "test", "hot"))
    #expect(parsed.time.hasSuffix("Z") && parsed.time.count == 24)
    #expect(LogOutput.timestamp(0) == "1970-01-01T00:00:00.000Z")
    #expect(LogOutput.timestamp(1_709_210_096_007) == "2024-02-29T12:34:56.007Z")
    let text = try lines(.text) { $0.warning("hot", metadata: ["b": "2 c=3", "a": "1"]) }
    #expect(text[0].dropFirst(8) == #" warning test: hot a=1 b="2 c=3""#)
  }

  /// Clients choose the names of action arguments, which become field names.
  @Test func `quotes metadata names and values that could forge a field`() throws {
    for forged in ["x role=operator", "x=y", "x\" role=\"operator", "a b", "a\u{B}b", "a\tb"] {
      let lines = try lines(.text) { $0.notice("done", metadata: [forged: "\(forged)"]) }
      #expect(lines.count == 1)
      let quoted = LogText.quoted(forged)
      #expect(lines[0].hasSuffix(" notice test: done \(quoted)=\(quoted)"), "\(lines[0])")
    }
  }

  @Test func `truncates a message at 4,096 bytes`() throws {
    for format in LogOutput.Format.allCases {
      let most = try lines(format) { $0.info("\(String(repeating: "x", count: 4_096))") }
      #expect(!most[0].contains("…"))
      let more = try lines(format) { $0.info("\(String(repeating: "x", count: 4_097))") }
      #expect(more[0].contains(String(repeating: "x", count: 4_096) + "…"))
      let wide = try lines(format) { $0.info("\(String(repeating: "🧨", count: 2_000))") }
      #expect(wide[0].filter { $0 == "🧨" }.count == 1_024)
    }
  }

  @Test func `applies a changed level and format to an existing logger`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let output = LogOutput(level: .error, format: .text, descriptor: ends[1])
    let logger = Logger(label: "x") { LineLogHandler(label: $0, output: output) }
    logger.warning("before")
    output.change(level: .debug, format: .json)
    #expect(logger.logLevel == .debug)
    logger.debug("after")
    output.flush()
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    let count = read(ends[0], &buffer, buffer.count)
    let text = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    #expect(!text.contains("before"))
    #expect(text.hasPrefix("{") && text.contains(#""message":"after""#), "\(text)")
  }

  @Test func `an unread log does not block logging and counts lost lines`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends where end >= 0 { close(end) } }
    let output = LogOutput(format: .json, descriptor: ends[1], isQueued: true)
    let logger = Logger(label: "test") { LineLogHandler(label: $0, output: output) }
    // These lines exceed the capacity of the pipe and the queue; logging must not block without a
    // reader.
    let count = 20_000
    for number in 0..<count { logger.info("line \(number) \(String(repeating: "x", count: 200))") }
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    func lines(_ word: String) -> [Substring] { text.split(separator: "\n").filter { $0.contains(word) } }
    func dropped() -> Int {
      lines("lines were dropped").compactMap { line in
        line.range(of: #""count":""#).flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
      }.reduce(0, +)
    }
    func written() -> Int { lines(#""message":"line "#).count }
    // All lines are counted as written or dropped; otherwise this loop would not end.
    while !text.hasSuffix("\n") || written() + dropped() < count {
      let read = Glibc.read(ends[0], &buffer, buffer.count)
      guard read > 0 else { break }
      text += String(decoding: buffer[..<read], as: UTF8.self)
    }
    #expect(written() + dropped() == count)
    #expect(written() < count)
    #expect(lines("line ").first?.contains("line 0 ") == true)
    // Later lines are written normally.
    logger.info("later")
    output.flush()
    let read = Glibc.read(ends[0], &buffer, buffer.count)
    #expect(String(decoding: buffer[..<max(0, read)], as: UTF8.self).contains("later"))
  }

  @Test func `logs 100 lines of a source at once and counts suppressed ones`() throws {
    let now = Guarded(Instant(nanoseconds: 1_000_000_000))
    let written = try lines(.json) { logger in
      let log = SourceLog(logger) { now.withLock { $0 } }
      for number in 0..<250 { log.log(.info, "line \(number)") }
      log.log(.debug, "not looked at")
      now.withLock { $0 = Instant(nanoseconds: 1_010_000_000) }
      log.log(.error, "later")
    }
    #expect(written.count == 102)
    #expect(try parse(written[99]).message == "line 99")
    #expect(try parse(written[100]).metadata == ["suppressed": "150"])
    #expect(try parse(written[101]).message == "later")
  }
}
