import Foundation
import ListEngine
import ListTesting
import Testing

@testable import Server

/// Tests that an expensive query of one client does not block the others.
@Suite struct WorkTests {
  private func addTexts(_ count: Int, to server: RunningServer) -> SourceInlet {
    var random = SeededGenerator(seed: 1)
    var changes = Changeset()
    for n in 0..<count {
      let text = String(
        decoding: (0..<1_000).map { _ in random.oneIn(2) ? UInt8(ascii: "a") : UInt8(ascii: "b") }, as: UTF8.self)
      changes.upsert(.integer(Int64(n)), [.integer(Int64(n)), .text(text)])
    }
    let inlet = server.control.addSource("texts")
    var schema = RunningServer.schema
    schema.name = "texts"
    inlet.report(.schema(schema))
    inlet.report(.changes(changes))
    inlet.report(.state(.live, message: ""))
    return inlet
  }

  private static let expensive =
    #"{"type":"query","request":2,"query":{"filter":{"column":"name","op":"matches","value":"[ab]*a[ab]{450}c"}}}"#

  @Test func `health is answered while a pattern runs`() throws {
    let server = try RunningServer()
    let inlet = addTexts(4_000, to: server)
    let client = try WebSocketClient.open("texts", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    client.send(Self.expensive)
    var answers = 0
    var window: [String: Any]?
    while window == nil {
      #expect(try HTTPAnswer.get("/healthz", port: server.port)?.status == 200)
      answers += 1
      if case .text(let bytes)? = client.frame(within: 0),
        let message = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
        message["type"] as? String == "window"
      {
        window = message
      }
    }
    #expect(window?["request"] as? Int == 2)
    // In a single turn there would have been one at most.
    #expect(answers > 3, "\(answers) answers")
    withExtendedLifetime(inlet) {}
  }

  @Test func `other clients are answered while one sends 299 queries`() throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(16_000)
    let other = try WebSocketClient.open("numbers", port: server.port)
    other.send(#"{"type":"ack","seq":1}"#)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    for request in 2...300 {
      client.send(
        #"{"type":"query","request":\#(request),"query":{"search":"\#(request)","sort":[{"column":"name"}]}}"#)
    }
    other.send(#"{"type":"query","request":2,"query":{"search":"7"}}"#)
    #expect(try other.message("window")["request"] as? Int == 2)
    // Only few of three hundred simultaneous queries are answered.
    var answered: [Int] = []
    while answered.last != 300 {
      let window = try client.message("window")
      answered.append(window["request"] as? Int ?? 0)
      client.send(#"{"type":"ack","seq":\#(window["seq"] as? Int ?? 0)}"#)
    }
    #expect(answered.count < 150, "\(answered.count) windows")
    withExtendedLifetime(inlet) {}
  }

  @Test func `a query beyond a table's views is refused, and others succeed`() throws {
    let server = try RunningServer { $0.limits.views = 2 }
    let inlet = server.addNumbers(10)
    let clients = try (0..<2).map { _ in try WebSocketClient.open("numbers", port: server.port) }
    for (number, client) in clients.enumerated() {
      client.send(#"{"type":"ack","seq":1}"#)
      client.send(#"{"type":"query","request":2,"query":{"search":"\#(number)"}}"#)
      #expect(try client.message("window")["request"] as? Int == 2)
    }
    let third = try WebSocketClient.greeted(port: server.port)
    third.send(#"{"type":"open","table":"numbers","request":1,"query":{"search":"9"}}"#)
    let error = try third.message("error")
    #expect(error["code"] as? String == "tooManyViews" && error["request"] as? Int == 1, "\(error)")
    third.send(#"{"type":"query","request":2,"query":{"search":"1"}}"#)
    #expect(try third.message("window")["request"] as? Int == 2)
    withExtendedLifetime(inlet) {}
  }
}
