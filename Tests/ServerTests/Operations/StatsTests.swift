import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of the periodic statistics.
@Suite struct StatsTests {
  private func changed(_ round: Int) -> Changeset { RunningServer.rows(0..<10, name: "round \(round)") }

  @Test func `sends statistics only to a client while it requests them`() throws {
    let server = try RunningServer { $0.limits.interval = .zero }
    let inlet = server.addNumbers(10)
    let other = try WebSocketClient.open("numbers", port: server.port)
    let client = try WebSocketClient.open("numbers", port: server.port)
    let began = RawSocket.now()
    client.send(#"{"type":"stats","wanted":true}"#)
    let first = try client.message("stats")
    #expect(first["coalescing"] is NSNull)
    #expect(first["delay"] is NSNull)
    #expect(first["interval"] as? Int == 0)
    #expect(first["sessions"] as? Int == 2)
    client.send(#"{"type":"ack","seq":1}"#)
    for round in 0..<5 {
      inlet.report(.changes(changed(round)))
      let patch = try client.message("patch")
      client.send(#"{"type":"ack","seq":\#(try #require(patch["seq"] as? Int))}"#)
    }
    let second = try client.message("stats")
    let third = try client.message("stats")
    // They come once a second; one may have arrived among the patches.
    #expect(RawSocket.now() - began > 1.9)
    for stats in [second, third] {
      let delay = try #require(stats["delay"] as? [String: Double])
      #expect(delay["count"] == 5)
      #expect(try #require(delay["p50"]) > 0)
      #expect(try #require(delay["p99"]) < 5_000)
      let source = try #require((stats["sources"] as? [[String: Any]])?.first)
      #expect(source["table"] as? String == "numbers")
      #expect(source["rows"] as? Int == 10)
      #expect(try #require(source["changes"] as? Double) > 0)
      #expect(try #require(stats["coalescing"] as? Double) > 0)
    }
    client.send(#"{"type":"stats","wanted":false}"#)
    client.send(opcode: 9, Array("enough".utf8))
    while let frame = client.frame() { if case .pong = frame { break } }
    #expect(throws: RawSocket.Failure.nothingCame) { try client.message("stats", within: 1.5) }
    #expect(throws: RawSocket.Failure.nothingCame) { try other.message("stats", within: 0.1) }
  }

  @Test func `sends no statistics to a hidden client`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"visibility","hidden":true}"#)
    client.send(#"{"type":"stats","wanted":true}"#)
    #expect(throws: RawSocket.Failure.nothingCame) { try client.message("stats", within: 1.3) }
    client.send(#"{"type":"visibility","hidden":false}"#)
    #expect(try client.message("stats")["sessions"] as? Int == 1)
  }

  @Test func `refuses a statistics request before a table is open`() throws {
    let server = try RunningServer()
    let client = try WebSocketClient.greeted(port: server.port)
    client.send(#"{"type":"stats","wanted":true}"#)
    let (error, code) = try client.refusal()
    #expect(error == "unexpectedMessage")
    #expect(code == 1008)
  }
}
