import Testing

@testable import Server

/// RFC 6455 case by case, with the sections and numbers of the Autobahn test suite (1 to 7, 9 and
/// 10).
///
/// The suite requires an echo server, which Rowcast is not; `make autobahn` provides one built with
/// the same library. Here the response shows whether a message arrived intact: a `hello` is
/// answered, and any other message is refused with an error that quotes it.
@Suite struct ConformanceTests {
  /// The expected outcome of a case.
  enum Outcome: Equatable {
    /// The `hello` arrived intact and is answered.
    case greeted
    /// The message arrived intact, and is refused with an error that contains this text.
    case read(String)
    /// The pings are answered; the last pong has this payload.
    case pong([UInt8])
    /// The connection is closed before a message is handled, with one of these codes; 1006 for
    /// none.
    case fails(Set<Int>)
    /// Our Close frame is answered with this code; 1005 for none.
    case closes(Int)
  }

  struct Case: CustomTestStringConvertible {
    var number: String
    var bytes: [UInt8]
    var outcome: Outcome
    /// The size of each write, in bytes.
    var chop = Int.max

    var testDescription: String { number }

    init(_ number: String, _ frames: [[UInt8]], chop: Int = .max, _ outcome: Outcome) {
      (self.number, bytes, self.outcome, self.chop) = (number, frames.flatMap(\.self), outcome, chop)
    }
  }

  // MARK: Messages

  private static func frame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, rsv: UInt8 = 0) -> [UInt8] {
    var bytes = WebSocketClient.frame(opcode: opcode, payload, isFinal: fin)
    bytes[0] |= rsv << 4
    return bytes
  }

  private static func text(_ payload: [UInt8], fin: Bool = true, rsv: UInt8 = 0) -> [UInt8] {
    frame(1, payload, fin: fin, rsv: rsv)
  }
  private static func text(_ payload: String, fin: Bool = true) -> [UInt8] { frame(1, Array(payload.utf8), fin: fin) }
  private static func more(_ payload: some Collection<UInt8>, fin: Bool) -> [UInt8] {
    frame(0, Array(payload), fin: fin)
  }
  private static func ping(_ payload: String, fin: Bool = true, rsv: UInt8 = 0) -> [UInt8] {
    frame(9, Array(payload.utf8), fin: fin, rsv: rsv)
  }
  private static func pong(_ payload: String, fin: Bool = true) -> [UInt8] { frame(10, Array(payload.utf8), fin: fin) }
  private static func close(_ payload: [UInt8]) -> [UInt8] { frame(8, payload) }
  private static func close(_ code: Int, _ reason: String = "") -> [UInt8] {
    close([UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
  }

  /// Returns a `hello` of `count` bytes.
  private static func hello(_ count: Int = 40) -> [UInt8] {
    let head = #"{"type":"hello","version":1,"x":""#
    return Array(head.utf8) + [UInt8](repeating: 0x2A, count: count - head.utf8.count - 2) + Array(#""}"#.utf8)
  }

  /// Returns a message whose error quotes this text.
  private static func echo(_ text: String) -> [UInt8] { Array(#"{"type":"\#(text)"}"#.utf8) }

  /// Returns a message split into frames of `size` bytes, with other frames in between.
  private static func fragments(_ payload: [UInt8], of size: Int, between: [UInt8] = []) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    for start in stride(from: 0, to: payload.count, by: size) {
      let end = min(start + size, payload.count)
      frames.append(frame(start == 0 ? 1 : 0, Array(payload[start..<end]), fin: end == payload.count))
      if end < payload.count, !between.isEmpty { frames.append(between) }
    }
    return frames
  }

  private static let wrong: Outcome = .fails([1002, 1006])
  private static let noText: Outcome = .fails([1007, 1006])

  // MARK: Cases

  static let framing: [Case] =
    [
      Case("1.1.1", [text("")], .read("byte 0")), Case("1.1.2", [text(hello(125))], .greeted),
      Case("1.1.3", [text(hello(126))], .greeted), Case("1.1.4", [text(hello(127))], .greeted),
      Case("1.1.5", [text(hello(128))], .greeted), Case("1.1.6", [text(hello(65_535))], .greeted),
      Case("1.1.7", [text(hello(65_536))], .greeted), Case("1.1.8", [text(hello(65_536))], chop: 997, .greeted),
    ]
    + [0, 125, 126, 127, 128, 65_535, 65_536].enumerated().map {
      // Binary messages are refused whatever their length.
      Case("1.2.\($0 + 1)", [frame(2, [UInt8](repeating: 0xFE, count: $1))], .fails([1003]))
    }

  static let pings: [Case] = [
    Case("2.1", [ping("")], .pong([])), Case("2.2", [ping("Hello, world!")], .pong(Array("Hello, world!".utf8))),
    Case(
      "2.3", [frame(9, [0, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0, 0xFF])], .pong([0, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0, 0xFF])),
    Case("2.4", [frame(9, [UInt8](repeating: 0xFE, count: 125))], .pong([UInt8](repeating: 0xFE, count: 125))),
    Case("2.5", [frame(9, [UInt8](repeating: 0xFE, count: 126))], wrong),
    Case("2.6", [frame(9, [UInt8](repeating: 0xFE, count: 125))], chop: 1, .pong([UInt8](repeating: 0xFE, count: 125))),
    Case("2.7", [pong(""), text(hello())], .greeted), Case("2.8", [pong("unsolicited"), text(hello())], .greeted),
    Case("2.9", [pong("unsolicited"), ping("wanted")], .pong(Array("wanted".utf8))),
  ]

  static let reserved: [Case] =
    [
      Case("3.1", [text(hello(), rsv: 1)], wrong), Case("3.2", [text(hello(), rsv: 2), ping("")], wrong),
      Case("3.3", [text(hello(), rsv: 3)], chop: 1, wrong), Case("3.4", [text(hello(), rsv: 4)], chop: 1, wrong),
      Case("3.5", [frame(2, [1], rsv: 5)], wrong), Case("3.6", [ping("", rsv: 6)], wrong),
      Case("3.7", [frame(8, [3, 0xE8], rsv: 7)], wrong),
    ]
    + [3, 4, 5, 6, 7].enumerated().map { Case("4.1.\($0 + 1)", [frame($1, $0 > 0 ? [1, 2] : [])], wrong) }
    + [11, 12, 13, 14, 15].enumerated().map { Case("4.2.\($0 + 1)", [frame($1, $0 > 0 ? [1, 2] : [])], wrong) }

  static let fragmentation: [Case] = {
    let (one, two) = (hello()[..<20], hello()[20...])
    let parts = [text(Array(one), fin: false), more(two, fin: true)]
    return [
      Case("5.1", [ping("a", fin: false), more([0x62], fin: true)], wrong),
      Case("5.2", [pong("a", fin: false), more([0x62], fin: true)], wrong), Case("5.3", parts, .greeted),
      Case("5.4", parts, chop: 3, .greeted), Case("5.5", parts, chop: 1, .greeted),
      Case("5.6", [parts[0], ping("between"), parts[1]], .greeted),
      Case("5.7", [parts[0], ping("between"), parts[1]], chop: 3, .greeted),
      Case("5.8", [parts[0], ping("between"), parts[1]], chop: 1, .greeted),
      Case("5.9", [more([0x61], fin: true), text(hello())], wrong),
      Case("5.10", [more([0x61], fin: true), text(hello())], chop: 3, wrong),
      Case("5.11", [more([0x61], fin: true), text(hello())], chop: 1, wrong),
      Case("5.12", [more([0x61], fin: false), text(hello())], wrong),
      Case("5.13", [more([0x61], fin: false), text(hello())], chop: 3, wrong),
      Case("5.14", [more([0x61], fin: false), text(hello())], chop: 1, wrong),
      Case("5.15", [more([0x61], fin: false), more([0x62], fin: true), text(hello())], wrong),
      Case("5.16", [more([0x61], fin: false), text(Array(one), fin: false), more(two, fin: true)], wrong),
      Case("5.17", [more([0x61], fin: true), text(Array(one), fin: false), more(two, fin: true)], wrong),
      Case("5.18", [text(Array(one), fin: false), text(Array(two))], wrong),
      Case("5.19", fragments(hello(), of: 9, between: ping("x")), .greeted),
      Case("5.20", fragments(hello(), of: 9, between: ping("x")), chop: 1, .greeted),
    ]
  }()

  static let unicode: [Case] = {
    let greek = "Hello-µ@ßöäüàá-UTF-8!!"
    let bytes = echo(greek)
    var cases = [
      Case("6.1.1", [text(""), text(hello())], .read("byte 0")),
      Case("6.1.2", [text("", fin: false), more([], fin: false), more([], fin: true)], .read("byte 0")),
      Case("6.1.3", [text("", fin: false), more(hello(), fin: false), more([], fin: true)], .greeted),
      Case("6.2.1", [text(bytes)], .read("“\(greek)”")),
      Case("6.2.2", fragments(bytes, of: 16), .read("“\(greek)”")),
      Case("6.2.3", fragments(bytes, of: 1), .read("“\(greek)”")),
      Case("6.2.4", fragments(echo("κόσμε"), of: 1), .read("“κόσμε”")),
    ]
    for (number, valid) in [
      "\u{F9}", "κόσμε", "\u{80}", "\u{800}", "\u{10000}", "\u{7F}", "\u{7FF}", "\u{FFFF}", "\u{D7FF}", "\u{E000}",
      "\u{FFFD}",
      "\u{10FFFF}", "\u{FFFE}", "\u{1FFFE}", "\u{10FFFE}",
    ].enumerated() {
      cases.append(Case("6.5-22 valid \(number)", [text(echo(valid))], .read("“\(valid)”")))
      cases.append(Case("6.5-22 valid \(number), by bytes", fragments(echo(valid), of: 1), .read("“\(valid)”")))
    }
    let invalid: [[UInt8]] = [
      [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0, 0x80, 0x65],
      [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0x80], [0xBF], [0x80, 0xBF], [0xC0, 0x20],
      [0xE0, 0x20],
      [0xF0, 0x20], [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF], [0xC0, 0xAF],
      [0xE0, 0x80, 0xAF],
      [0xF0, 0x80, 0x80, 0xAF], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80],
      [0xED, 0xAD, 0xBF],
      [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xF5, 0x80, 0x80, 0x80],
    ]
    for (number, bytes) in invalid.enumerated() {
      let message = Array(#"{"type":""#.utf8) + bytes + Array(#""}"#.utf8)
      cases.append(Case("6.3-19 invalid \(number)", [text(message)], noText))
      cases.append(Case("6.3-19 invalid \(number), by bytes", fragments(message, of: 1), noText))
      // Invalid text is refused before the message is complete.
      cases.append(Case("6.4 invalid \(number), unfinished", [text(message, fin: false)], noText))
    }
    // A message that ends within a character.
    cases.append(Case("6.6 cut off", [text(Array("κ".utf8).dropLast().map(\.self))], noText))
    return cases
  }()

  static let closing: [Case] = {
    var cases = [
      Case("7.1.2", [close(1000), close(1000)], .closes(1000)), Case("7.1.3", [close(1000), ping("")], .closes(1000)),
      Case("7.1.4", [close(1000), text(hello())], .closes(1000)),
      Case(
        "7.1.5", [text(Array(hello()[..<20]), fin: false), close(1000), more(hello()[20...], fin: true)], .closes(1000)),
      Case("7.3.1", [close([])], .fails([1000, 1005, 1006])),
      Case("7.3.2", [close([0x61])], .fails([1000, 1002, 1005, 1006])),
      Case("7.3.3", [close(1000)], .closes(1000)), Case("7.3.4", [close(1000, "Hello World!")], .closes(1000)),
      Case("7.3.5", [close(1000, String(repeating: "*", count: 123))], .closes(1000)),
      Case("7.3.6", [close(1000, String(repeating: "*", count: 124))], wrong),
      Case("7.5.1", [close([3, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80])], .fails([1002, 1006, 1007])),
    ]
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] {
      cases.append(Case("7.7 \(code)", [close(code)], .closes(code)))
    }
    for code in [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999] {
      cases.append(Case("7.9 \(code)", [close(code)], wrong))
    }
    return cases
  }()

  static let limits: [Case] =
    [64 << 10, 256 << 10, 1 << 20].enumerated().map {
      // The suite's large messages, up to 16 MB: those within the limit are read, others are
      // refused.
      Case("9.1.\($0 + 1)", [text(hello($1))], $1 <= 65_536 ? .greeted : .fails([1009, 1006]))
    }
    + [1, 64, 256, 1_024, 4_096, 65_536].map {
      Case(
        "9.3, frames of \($0)", fragments(hello(65_536), of: $0), 65_536 / $0 <= 64 ? .greeted : .fails([1009, 1006]))
    } + [64, 128, 256, 512, 1_024].map { Case("9.5, \($0) at a time", [text(hello(65_536))], chop: $0, .greeted) }
    + [Case("10.1.1", fragments(hello(65_536), of: 1_300), .greeted)]

  // MARK: Checks

  /// A section with its title.
  struct Section: CustomTestStringConvertible {
    var testDescription: String
    var cases: [Case]
  }

  private static let sections = [
    Section(testDescription: "1, framing", cases: framing),
    Section(testDescription: "2, pings and pongs", cases: pings),
    Section(testDescription: "3 and 4, what is reserved", cases: reserved),
    Section(testDescription: "5, fragmentation", cases: fragmentation),
    Section(testDescription: "6, UTF-8", cases: unicode), Section(testDescription: "7, closing", cases: closing),
    Section(testDescription: "9 and 10, sizes", cases: limits),
  ]

  @Test(arguments: sections) func `each RFC 6455 case has its expected outcome`(_ section: Section) throws {
    let server = try RunningServer()
    for one in section.cases {
      let received = try receive(one, port: server.port)
      #expect(received == nil, "\(one.number): \(received ?? "")")
    }
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
  }

  /// Returns the difference from the expected outcome; `nil` if there is none.
  private func receive(_ one: Case, port: Int) throws -> String? {
    let client = try WebSocketClient(port: port)
    for start in stride(from: 0, to: one.bytes.count, by: one.chop) {
      // The server may close the connection before all data is sent.
      guard client.socket.send(Array(one.bytes[start..<min(start + min(one.chop, one.bytes.count), one.bytes.count)]))
      else { break }
    }
    var last: WebSocketClient.Frame?
    while let frame = client.frame() {
      last = frame
      let text = if case .text(let bytes) = frame { String(decoding: bytes, as: UTF8.self) } else { "" }
      switch (frame, one.outcome) {
      case (.pong(let bytes), .pong(let wanted)) where bytes == wanted: return nil
      case (.pong, _): continue
      case (.text, .greeted) where text.contains(#""type":"hello""#): return nil
      case (.text, .read(let words)): return text.contains(words) ? nil : "it says \(text)"
      case (.text, _): return "it says \(text)"
      case (.close(let code, _), .closes(let wanted)): return code == wanted ? nil : "closed with \(code ?? 1005)"
      case (.close(let code, _), .fails(let codes)):
        return codes.contains(code ?? 1005) ? nil : "closed with \(code ?? 1005)"
      case (.end, .fails(let codes)): return codes.contains(1006) ? nil : "closed without a word"
      case (.end, _), (.close, _): return "\(frame)"
      default: continue
      }
    }
    return "nothing comes after \(String(describing: last))"
  }
}
