import ListEngine
import Testing

@testable import Wire

/// Tests that the fast path for acknowledgements has the same results as the JSON reader.
@Suite struct AcknowledgementTests {
  private func read(_ text: String) -> Result<ClientMessage, ClientError> {
    do throws(ClientError) { return .success(try ClientMessage(decoding: Array(text.utf8))) } catch {
      return .failure(error)
    }
  }

  @Test func `the usual form takes the fast path`() {
    for number: UInt64 in [0, 1, 7, 10, 4_294_967_296, 9_007_199_254_740_991] {
      let text = #"{"type":"ack","seq":\#(number)}"#
      #expect(ClientMessage.plainAcknowledgement(Array(text.utf8)) == number, "\(text)")
      #expect(read(text) == .success(.ack(sequence: number)), "\(text)")
    }
  }

  @Test func `the fast path and JSONReader agree on any number`() {
    for number in [
      "0", "1", "9", "10", "9007199254740991", "9007199254740992", "9999999999999999", "10000000000000000",
      "99999999999999999999999", "00", "01", "-0", "-1", "1.0", "1.5", "1e3", "", " 1", "1 ", "+1", "1}", "\"1\"",
      "null",
      "true", "0x1", "１", "1:", "1/",
    ] {
      let text = #"{"type":"ack","seq":\#(number)}"#
      // A leading space makes it unsuitable for the fast path.
      let other = " \(text)"
      #expect(ClientMessage.plainAcknowledgement(Array(other.utf8)) == nil)
      switch (read(text), read(other)) {
      case (.success(let one), .success(let two)): #expect(one == two, "\(text)")
      // The error messages contain byte offsets, which differ by one.
      case (.failure(let one), .failure(let two)): #expect(one.code == two.code, "\(text)")
      default: Issue.record("\(text) is read in one way and refused in the other")
      }
    }
  }

  @Test func `no other form takes the fast path`() {
    for text in [
      "", "{", "}", #"{"type":"ack","seq":}"#, #"{"type":"ack","seq":1"#, #"{"type":"ack","seq":1}}"#,
      #"{"type":"ack","seq":1]"#,
      #"{"type":"bck","seq":1}"#, #"{"type":"ack","sep":1}"#, #"{"seq":1,"type":"ack"}"#,
      #"{"type":"ack","seq":1,"seq":2}"#,
      #"{"type":"ack","seq":1 }"#, #"{"type":"ack", "seq":1}"#,
    ] {
      #expect(ClientMessage.plainAcknowledgement(Array(text.utf8)) == nil, "\(text)")
    }
    #expect(read(#"{"type":"ack","seq":1,"seq":2}"#) == .success(.ack(sequence: 2)))
  }
}
