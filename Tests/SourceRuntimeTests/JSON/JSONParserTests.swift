import Testing

@testable import SourceRuntime

@Suite struct JSONParserTests {
  private func parse(_ bytes: [UInt8]) -> String? {
    let parser = JSONParser()
    let padded = bytes + [UInt8](repeating: 0x5B, count: JSONParser.padding)
    return padded.withUnsafeBytes {
      (try? parser.parse(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count])))?.written
    }
  }

  private func parse(_ text: String) -> String? { parse(Array(text.utf8)) }

  @Test(arguments: [
    #"{"a":[1,-2,0.5,true,false,null,"x",{}]}"#, "[]", #""é\n\u0000""#, "-9223372036854775808", "9223372036854775807",
  ])
  func `writes parsed values back unchanged`(_ text: String) { #expect(parse(text) == text) }

  @Test(arguments: [
    (
      #"{"a":123456789012345678901234567890,"b":"99999999999999999999\\","c":-99999999999999999999}"#,
      #"{"a":1.2345678901234568e+29,"b":"99999999999999999999\\","c":-1e+20}"#
    ),
    (#"[99999999999999999999.5,18446744073709551616]"#, #"[1e+20,1.8446744073709552e+19]"#),
  ])
  func `reads integers beyond 64 bits as inexact numbers`(_ text: String, _ written: String) {
    #expect(parse(text) == written)
  }

  @Test(arguments: [
    "", " ", "{", "[1,]", "{\"a\":1,}", "01", "+1", "1 2", "nul", "'a'", "\"\u{01}\"", "[1] x", "NaN", "Infinity",
    "{a:1}",
    #""\x""#, #""\ud800""#,
  ])
  func `refuses malformed JSON documents`(_ text: String) { #expect(parse(text) == nil) }

  @Test(
    arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3, 0x22]]
      as [[UInt8]])
  func `refuses strings with invalid UTF-8`(_ bytes: [UInt8]) { #expect(parse(bytes) == nil) }

  @Test func `limits nesting to 32 levels`() {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(JSONParser.depth == 32)
    #expect(parse(nested(32)) == nested(32))
    #expect(parse(nested(33)) == nil)
    #expect(parse(String(repeating: "[", count: 1 << 20)) == nil)
  }

  @Test func `the nesting limit holds after documents of any length`() {
    let parser = JSONParser()
    func isRead(_ text: String) -> Bool {
      let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: JSONParser.padding)
      return bytes.withUnsafeBytes {
        (try? parser.parse(UnsafeRawBufferPointer(rebasing: $0[..<(bytes.count - JSONParser.padding)]))) != nil
      }
    }
    let deep = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
    for length in [1, 1 << 10, 1 << 18, 1 << 20, 3] {
      #expect(isRead("\"\(String(repeating: "x", count: length))\""))
      #expect(!isRead(deep))
    }
  }

  @Test func `reads whole floats as integers only up to 53 bits`() throws {
    let parser = JSONParser()
    let text = Array("[1,2.0,2.5,9223372036854775808,1e300,9007199254740992.0,1e17]".utf8)
    try (text + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes { buffer in
      let items = Array(try parser.parse(UnsafeRawBufferPointer(rebasing: buffer[..<text.count])).items)
      #expect(items.map(\.integer) == [1, 2, nil, nil, nil, 9_007_199_254_740_992, nil])
      #expect(items.map(\.number) == [1, 2, 2.5, 9_223_372_036_854_775_808, 1e300, 9_007_199_254_740_992, 1e17])
    }
  }

  @Test func `frees a large buffer on shrink or after a short document`() throws {
    let parser = JSONParser()
    func parse(_ count: Int) throws {
      let bytes =
        [UInt8](repeating: 0x20, count: count - 2) + [0x5B, 0x5D] + [UInt8](repeating: 0, count: JSONParser.padding)
      try bytes.withUnsafeBytes { _ = try parser.parse(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    try parse(JSONParser.retainedCapacity)
    parser.shrink()
    #expect(parser.capacity == JSONParser.retainedCapacity, "that one is not long")
    try parse(JSONParser.retainedCapacity + 1)
    #expect(parser.capacity > JSONParser.retainedCapacity)
    parser.shrink()
    #expect(parser.capacity == 0)
    try parse(1 << 20)
    try parse(10)
    #expect(parser.capacity < JSONParser.retainedCapacity, "a short one shows that the long ones are over")
  }
}
