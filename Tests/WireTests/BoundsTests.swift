import ListEngine
import Testing

@testable import Wire

/// Tests each limit of client messages with the last accepted and the first rejected value.
@Suite struct BoundsTests {
  private func complaint(_ text: String) -> ClientError? {
    do throws(ClientError) {
      return try ClientMessage(decoding: Array(text.utf8)).queryFault?.error
    } catch { return error }
  }

  private func isOutOfRange(_ text: String) -> Bool {
    guard case .outOfRange = complaint(text) else { return false }
    return true
  }

  private func isTooLong(_ text: String) -> Bool {
    guard case .tooLong = complaint(text) else { return false }
    return true
  }

  private static let safe = 0...9_007_199_254_740_991

  @Test(arguments: [
    (#"{"type":"ack","seq":N}"#, safe), (#"{"seq":N,"type":"ack"}"#, safe), (#"{"type":"resync","seq":N}"#, safe),
    (#"{"type":"viewport","seq":N,"first":0,"count":1}"#, safe),
    (#"{"type":"viewport","seq":0,"first":N,"count":1}"#, safe),
    (#"{"type":"viewport","seq":0,"first":0,"count":N}"#, 1...1_000),
    (#"{"type":"viewport","seq":0,"first":0,"count":1,"ahead":N}"#, 0...2_000),
    (#"{"type":"viewport","seq":0,"first":0,"count":1,"behind":N}"#, 0...2_000),
    (#"{"type":"viewport","seq":0,"first":0,"count":1,"anchor":N}"#, safe),
    (#"{"type":"open","table":"t","request":N}"#, safe),
    (#"{"type":"open","table":"t","request":1,"interval":N}"#, 0...60_000),
    (#"{"type":"open","table":"t","request":1,"viewport":{"first":0,"count":N}}"#, 1...1_000),
    (#"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":N}}"#, safe),
    (#"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"anchorOffset":N}}"#, 0...1_000),
    (
      #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"window":{"start":N,"total":1}}}"#,
      safe
    ),
    (
      #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"window":{"start":0,"total":N}}}"#,
      safe
    ),
    (
      #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"window":{"start":0,"total":1,"rows":[N,1]}}}"#,
      safe
    ),
    (
      #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"window":{"start":0,"total":1,"rows":[1,N]}}}"#,
      0...4_294_967_295
    ),
    (#"{"type":"query","request":N}"#, safe),
    (#"{"type":"query","request":1,"viewport":{"first":0,"count":1,"ahead":N}}"#, 0...2_000),
    (#"{"type":"collapse","section":N,"collapsed":true}"#, 0...4_294_967_295),
    (#"{"type":"pace","interval":N}"#, 0...60_000),
    (#"{"type":"act","id":N,"table":"t","action":"a"}"#, safe),
    (#"{"type":"act","id":1,"table":"t","action":"a","row":N}"#, safe),
  ])
  func `accepts numbers exactly within their limits`(_ message: String, _ range: ClosedRange<Int>) {
    func saying(_ number: Int) -> String { message.replacing("N", with: "\(number)") }
    for number in [range.lowerBound, range.upperBound] {
      #expect(complaint(saying(number)) == nil, "\(saying(number))")
    }
    for number in [range.lowerBound - 1, range.upperBound + 1] {
      #expect(isOutOfRange(saying(number)), "\(saying(number))")
    }
  }

  @Test(arguments: [
    (#"{"type":"query","request":1,"query":{"sort":[*]}}"#, #"{"column":"a"}"#, 8),
    (#"{"type":"query","request":1,"query":{"group":[*]}}"#, #""a""#, 4),
    (#"{"type":"query","request":1,"query":{"aggregates":[*]}}"#, #"{"column":"a","function":"sum"}"#, 16),
    (#"{"type":"query","request":1,"query":{"sections":[*]}}"#, #"{"column":"a","by":"count"}"#, 4),
    (#"{"type":"query","request":1,"query":{"collapsed":[*]}}"#, "[]", 10_000),
    (#"{"type":"query","request":1,"query":{"collapsed":[[*]]}}"#, "1", 4),
    (#"{"type":"collapse","path":[*],"collapsed":true}"#, "1", 4),
    (
      #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"window":{"start":0,"total":1,"rows":[*]}}}"#,
      "1,1", 2_000
    ),
    (#"{"type":"query","request":1,"query":{"filter":{"all":[*]}}}"#, #"{"all":[]}"#, 100),
    (#"{"type":"query","request":1,"query":{"filter":{"column":"a","op":"oneOf","values":[*]}}}"#, "1", 1_000),
  ])
  func `accepts lists up to their greatest length`(_ message: String, _ entry: String, _ bound: Int) {
    func saying(_ count: Int) -> String {
      message.replacing("*", with: Array(repeating: entry, count: count).joined(separator: ","))
    }
    #expect(complaint(saying(0)) == nil && complaint(saying(bound)) == nil, "\(message)")
    #expect(isTooLong(saying(bound + 1)), "\(message)")
  }

  @Test func `an action request has at most 32 arguments`() {
    func act(_ count: Int) -> String {
      let arguments = (0..<count).map { "\"a\($0)\":\($0)" }.joined(separator: ",")
      return #"{"type":"act","id":1,"table":"t","action":"a","arguments":{\#(arguments)}}"#
    }
    #expect(complaint(act(32)) == nil)
    #expect(isTooLong(act(33)))
  }

  @Test(arguments: [
    #"{"type":"hello","version":1,"client":"*"}"#, #"{"type":"resync","seq":1,"reason":"*"}"#,
    #"{"type":"open","table":"*","request":1}"#,
    #"{"type":"open","table":"t","request":1,"resume":{"epoch":"*","seq":1}}"#,
    #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"session":"*"}}"#,
    #"{"type":"query","request":1,"query":{"search":"*"}}"#,
    #"{"type":"query","request":1,"query":{"sort":[{"column":"*"}]}}"#,
    #"{"type":"query","request":1,"query":{"group":["*"]}}"#,
    #"{"type":"query","request":1,"query":{"aggregates":[{"column":"*","function":"sum"}]}}"#,
    #"{"type":"query","request":1,"query":{"sections":[{"column":"*","by":"count"}]}}"#,
    #"{"type":"query","request":1,"query":{"filter":{"column":"*","op":"isEmpty"}}}"#,
    #"{"type":"query","request":1,"query":{"filter":{"column":"a","op":"=","value":"*"}}}"#,
    #"{"type":"query","request":1,"query":{"filter":{"column":"a","op":"contains","value":"*"}}}"#,
    #"{"type":"query","request":1,"query":{"filter":{"column":"a","op":"oneOf","values":["*"]}}}"#,
    #"{"type":"act","id":1,"table":"*","action":"a"}"#, #"{"type":"act","id":1,"table":"t","action":"*"}"#,
    #"{"type":"act","id":1,"table":"t","action":"a","session":"*"}"#,
  ])
  func `a text has at most 1000 characters of any byte length`(_ message: String) {
    for character in ["x", "é", "😀"] {
      func saying(_ count: Int) -> String {
        message.replacing("*", with: String(repeating: character, count: count))
      }
      #expect(complaint(saying(1_000)) == nil, "\(character): \(message)")
      #expect(isTooLong(saying(1_001)), "\(character): \(message)")
    }
  }

  @Test func `a message has at most 65536 bytes`() {
    let frame = #"{"type":"ack","seq":7,"x":""}"#
    for (count, isTaken) in [(65_536, true), (65_537, false)] {
      let filling = String(repeating: "x", count: count - frame.utf8.count)
      let message = #"{"type":"ack","seq":7,"x":"\#(filling)"}"#
      #expect(message.utf8.count == count)
      #expect((complaint(message) == nil) == isTaken)
    }
  }

  @Test func `the number of a section takes precedence over its path`() throws {
    let both = #"{"type":"collapse","path":["x"],"section":7,"collapsed":true}"#
    #expect(try ClientMessage(decoding: Array(both.utf8)) == .collapse(.number(7), isCollapsed: true))
  }

  @Test func `accepts null for optional members only`() {
    for message in [
      #"{"type":"hello","version":1,"client":null}"#,
      #"{"type":"open","table":"t","request":1,"query":null,"viewport":null,"interval":null,"resume":null}"#,
      #"{"type":"open","table":"t","request":1,"resume":{"epoch":"e","seq":1,"session":null,"anchorOffset":null}}"#,
      #"{"type":"query","request":1,"query":{"sort":null,"search":null,"filter":null,"group":null,"aggregates":null,"collapsed":null}}"#,
      #"{"type":"query","request":1,"query":{"sort":[{"column":"a","descending":null}]}}"#,
      #"{"type":"viewport","seq":1,"first":0,"count":1,"ahead":null,"behind":null,"anchor":null,"stick":null}"#,
      #"{"type":"collapse","section":null,"path":[1],"collapsed":true}"#, #"{"type":"resync","seq":1,"reason":null}"#,
      #"{"type":"act","id":1,"table":"t","action":"a","row":null,"arguments":{"b":null},"session":null}"#,
    ] { #expect(complaint(message) == nil, "\(message)") }
    for message in [
      #"{"type":null}"#, #"{"type":"hello","version":null}"#, #"{"type":"ack","seq":null}"#,
      #"{"type":"open","table":null,"request":1}"#, #"{"type":"open","table":"t","request":null}"#,
      #"{"type":"viewport","seq":null,"first":0,"count":1}"#, #"{"type":"viewport","seq":1,"first":null,"count":1}"#,
      #"{"type":"viewport","seq":1,"first":0,"count":null}"#, #"{"type":"hold","held":null}"#,
      #"{"type":"pause","paused":null}"#, #"{"type":"visibility","hidden":null}"#, #"{"type":"stats","wanted":null}"#,
      #"{"type":"collapse","section":1,"collapsed":null}"#, #"{"type":"collapse","section":null,"collapsed":true}"#,
      #"{"type":"act","id":null,"table":"t","action":"a"}"#, #"{"type":"resync","seq":null}"#,
    ] {
      guard case .unreadableMessage(let reason) = complaint(message) else {
        Issue.record("\(message): \(String(describing: complaint(message)))")
        continue
      }
      #expect(reason.hasSuffix("missing"), "\(message): \(reason)")
    }
  }
}
