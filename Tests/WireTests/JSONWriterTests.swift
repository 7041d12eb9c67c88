import Foundation
import ListEngine
import Testing

@testable import Wire

@Suite struct JSONWriterTests {
  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "0"), (7, "7"), (-7, "-7"), (10, "10"), (1_234_567_890, "1234567890"), (Int64.max, "9223372036854775807"),
      (Int64.min, "-9223372036854775808"), (99, "99"), (100, "100"),
    ] as [(Int64, String)])
  func `writes integers in decimal`(_ value: Int64, _ text: String) {
    #expect(written { $0.integer(value) } == text)
  }

  @Test func `writes integers beyond 53 bits as texts`() {
    #expect(written { $0.safeInteger(9_007_199_254_740_991) } == "9007199254740991")
    #expect(written { $0.safeInteger(-9_007_199_254_740_991) } == "-9007199254740991")
    #expect(written { $0.safeInteger(9_007_199_254_740_992) } == #""9007199254740992""#)
    #expect(written { $0.safeInteger(.min) } == #""-9223372036854775808""#)
  }

  @Test(
    arguments: [
      (0, "0"), (0.5, "0.5"), (100, "100"), (-1.25, "-1.25"), (0.1, "0.1"), (0.0001, "0.0001"), (1e-7, "1e-07"),
      (123_456.789, "123456.789"), (1e9, "1000000000"), (-9_007_199_254_740_991, "-9007199254740991"),
      (9_007_199_254_740_992, "9007199254740992.0"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"),
      (0.30000000000000004, "0.30000000000000004"),
      (999_999_999.9999, "999999999.9999"), (1.7976931348623157e308, "1.7976931348623157e+308"),
    ] as [(Double, String)])
  func `writes doubles as integers, decimals or with an exponent`(_ value: Double, _ text: String) {
    #expect(written { $0.number(value) } == text)
  }

  @Test func `finite doubles are read back exactly from a short text`() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<20_000 {
      let value: Double
      switch round % 4 {
      case 0: value = Double(bitPattern: random.next())
      case 1: value = Double(Int64.random(in: -1_000_000...1_000_000)) / 100
      case 2: value = Double.random(in: -1e9...1e9)
      default: value = Double(Int64.random(in: -1_000_000_000...1_000_000_000)) / 10_000
      }
      guard value.isFinite else { continue }
      let text = written { $0.number(value) }
      #expect(Double(text) == value, "\(value) became \(text)")
      #expect(text.utf8.count <= value.description.utf8.count, "\(text) is longer than \(value)")
    }
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.000001"), (-1, "-0.000001"), (1_000_000, "1"), (1_500_000, "1.5"),
      (1_700_000_000_123_456_789, "1700000000123.456789"), (-1_000_001, "-1.000001"),
      (Int64.max, "9223372036854.775807"),
      (Int64.min, "-9223372036854.775808"),
    ] as [(Int64, String)])
  func `writes timestamps as exact milliseconds`(_ value: Int64, _ text: String) {
    #expect(written { $0.milliseconds(ofNanoseconds: value) } == text)
  }

  @Test func `escapes texts as JSON requires`() throws {
    #expect(
      written { $0.text("a\"b\\c/\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}é😀\u{2028}") }
        == "\"a\\\"b\\\\c/\\n\\r\\t\\b\\f\\u0000\\u001f\u{7f}é😀\u{2028}\"")
    #expect(written { $0.text("") } == "\"\"")
    for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) {
      let text = "<\(Character(scalar))>"
      let bytes = Data(written { $0.text(text) }.utf8)
      #expect(try JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed) as? String == text)
    }
  }

  @Test func `writes a cell of each type`() {
    let cells: [Cell] = [
      .null, .integer(-5), .number(0.5), .text("x"), .boolean(true), .boolean(false), .timestamp(1_500_000),
      .image("k"), .series([1, 2.5]), .series([]),
    ]
    let text = cells.map { cell in written { $0.cell(cell) } }.joined(separator: " ")
    #expect(text == #"null -5 0.5 "x" true false 1.5 "k" [1,2.5] []"#)
  }

  @Test func `writes non-finite values of a series as null`() {
    let text = written { $0.cell(.series([.nan, 1, .infinity, -.infinity, 0.1])) }
    #expect(text == "[null,1,null,null,0.1]")
  }

  // MARK: Members

  @Test func `members are separated by commas at every depth`() {
    let text = written { writer in
      writer.object {
        $0.type("a")
        $0.member("empty") { _ in }
        $0.member("inner") {
          $0.member("yes", true)
          $0.member("list", [1, 2]) { $0.integer($1) }
        }
        $0.member("least", Int64.min)
        $0.member("greatest", UInt64.max)
      }
    }
    #expect(
      text == #"{"type":"a","empty":{},"inner":{"yes":true,"list":[1,2]},"least":-9223372036854775808,"#
        + #""greatest":18446744073709551615}"#)
  }

  @Test func `a text that ends with a brace is followed by a comma`() {
    #expect(
      written {
        $0.object {
          $0.member("a", "{"); $0.member("b", "")
        }
      } == #"{"a":"{","b":""}"#)
  }

  @Test func `names of any text are escaped`() {
    #expect(
      written {
        $0.object {
          $0.name(anyText: "a\"\n"); $0.integer(1 as Int64)
        }
      } == #"{"a\"\n":1}"#)
  }

  @Test func `missing and empty texts are left out`() {
    let text = written { writer in
      writer.object {
        $0.member("a", unlessEmpty: nil as String?)
        $0.member("b", unlessEmpty: "")
        $0.member("c", unlessEmpty: [] as [String])
        $0.member("d", unlessEmpty: "x")
        $0.member("e", unlessEmpty: ["y"])
      }
    }
    #expect(text == #"{"d":"x","e":["y"]}"#)
  }

  @Test func `a line is an object with its type and a line feed`() {
    #expect(JSONWriter.line("reload") == Array("{\"type\":\"reload\"}\n".utf8))
    #expect(JSONWriter.line("health") { $0.member("id", 7) } == Array("{\"type\":\"health\",\"id\":7}\n".utf8))
  }
}
