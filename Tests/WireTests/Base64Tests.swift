import Foundation
import Testing

@testable import Wire

/// Base64 encoding and decoding.
@Suite struct Base64Tests {
  private func decode(_ text: String) -> [UInt8]? { Array(text.utf8).withUnsafeBytes { Base64.standard.decode($0) } }

  @Test func `encodes and decodes any bytes like Foundation`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
      let letters = Data(bytes).base64EncodedString()
      #expect(decode(letters) == bytes)
      #expect(Base64.standard.encode(bytes) == Array(letters.utf8))
    }
  }

  @Test(arguments: ["A", "AB", "ABC", "AB=C", "A===", "====", "AB==AB==", "AB-_", "A B=", "AAAA\n", "AB==", "ABC="])
  func `rejects text that is not canonical Base64`(_ text: String) { #expect(decode(text) == nil) }

  @Test func `accepts padded text whose unused bits are zero`() {
    #expect(decode("AA==") == [0])
    #expect(decode("/w==") == [255])
    #expect(decode("//8=") == [255, 255])
  }

  @Test func `URL-safe Base64 has no padding and refuses invalid texts`() {
    for count in 0..<50 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
      #expect(Base64.url.decode(Base64.url.text(of: bytes)) == bytes)
    }
    #expect(Base64.url.text(of: Array("light work.".utf8)) == "bGlnaHQgd29yay4")
    for wrong in ["A", "AB", "AAB", "A===", "AA==", "+/AA", "AA A", "é"] {
      #expect(Base64.url.decode(wrong) == nil, "\(wrong)")
    }
  }
}
